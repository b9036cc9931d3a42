// A Sigstore bundle against one public key, by the Sigstore project's own code:
//   node verify.mjs receipt.sigstore.json key.pem [payload]
// Exit code 0: it verifies, and the payload is written where asked. 1: it does not. 2: wrong usage.
import { readFileSync, writeFileSync } from "node:fs";
import { createPublicKey } from "node:crypto";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";

const [bundlePath, keyPath, payloadPath] = process.argv.slice(2);
if (!keyPath) {
  console.error("usage: node verify.mjs BUNDLE KEY [PAYLOAD]");
  process.exit(2);
}

try {
  // The hint in a bundle is not signed, so it chooses nothing: this key or none.
  const publicKey = createPublicKey(readFileSync(keyPath));
  const trust = toTrustMaterial(
    { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] },
    () => ({ publicKey, validFor: () => true }),
  );
  const bundle = bundleFromJSON(JSON.parse(readFileSync(bundlePath, "utf8")));
  // A receipt is in no public log; what it rests on is the key alone.
  new Verifier(trust, { tlogThreshold: 0 }).verify(toSignedEntity(bundle));
  if (payloadPath) writeFileSync(payloadPath, bundle.content.dsseEnvelope.payload);
} catch (error) {
  console.error(`does not verify: ${error.message}`);
  process.exit(1);
}
console.log("verifies");
