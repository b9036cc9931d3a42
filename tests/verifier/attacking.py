"""What the attack tests share: how many examples, and the command over three files."""

from hypothesis import HealthCheck, settings

from tests.hostile import Attacker
from tests.verifier.kits import KEYS, KIT, RECEIPT, receipt_for

VERIFY = "verify kit --receipt receipt --keys keys"
# The folder is shared by the examples, each of which writes its files anew.
often = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def verify(attack: Attacker, kit: bytes = KIT, receipt: bytes = RECEIPT, keys: bytes = KEYS) -> int:
    """Run `touchstone verify` on these bytes and give its exit code."""
    code, _said = attack(VERIFY, {"kit": kit, "receipt": receipt, "keys": keys})
    return code


def faults(attack: Attacker, kit: bytes = KIT, receipt: bytes = RECEIPT) -> list[str]:
    """Run it, and give the lines that say what does not hold."""
    _code, said = attack(VERIFY, {"kit": kit, "receipt": receipt, "keys": KEYS})
    return [line.removeprefix("FAILS  ") for line in said.splitlines() if line[:5] == "FAILS"]


def faults_of_kit(attack: Attacker, tarball: bytes) -> list[str]:
    """What `verify` finds wrong under a receipt for these bytes; `weights` must refuse them too."""
    found = faults(attack, kit=tarball, receipt=receipt_for(tarball))
    code, _said = attack("weights . --kit kit", {"kit": tarball})
    assert code == 1
    return [fault for fault in found if fault.startswith("kit: ")]
