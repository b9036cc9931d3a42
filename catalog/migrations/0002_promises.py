"""What Postgres itself holds of versions: sealed content is final, and signed for these bytes."""

from django.db import migrations

from receipts.append_only import append_only

RECEIPT_OF_THIS_KIT = """
ALTER TABLE catalog_packageversion
    ADD CONSTRAINT catalog_version_receipt_is_of_its_kit
    FOREIGN KEY (benchmark_receipt_id, receipt_kind, kit_id)
    REFERENCES receipts_receipt (id, kind, subject_sha256)
    DEFERRABLE INITIALLY DEFERRED;
"""

SEALED = """
CREATE FUNCTION catalog_receipt_may_follow(
    was catalog_packageversion, now_is catalog_packageversion
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF was.state = 'withdrawn' OR NOT EXISTS (
        SELECT 1 FROM receipts_receipt r JOIN receipts_signingkey k ON k.kid = r.key_id
        WHERE r.id = was.benchmark_receipt_id AND k.status = 'revoked'
    ) THEN
        RAISE EXCEPTION 'version % is %, and its key is not revoked: its receipt is final',
            was.version, was.state USING ERRCODE = 'restrict_violation';
    END IF;
    -- FOR SHARE: the new key cannot be revoked unseen while this is under way.
    PERFORM 1 FROM receipts_receipt r JOIN receipts_signingkey k ON k.kid = r.key_id
        WHERE r.id = now_is.benchmark_receipt_id AND r.kind = 'benchmark'
            AND r.subject_sha256 = now_is.kit_id AND k.status <> 'revoked'
        FOR SHARE OF k;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'version %: a new receipt is of the same kit, by a key that holds',
            was.version USING ERRCODE = 'restrict_violation';
    END IF;
END $$;

CREATE FUNCTION catalog_version_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.state <> 'draft' THEN
            RAISE EXCEPTION 'version % is %: it stays', OLD.version, OLD.state
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF OLD.state = 'draft' THEN
        RETURN NEW;
    END IF;
    IF (NEW.package_id, NEW.version, NEW.data, NEW.story, NEW.content_sha256, NEW.kit_id)
        IS DISTINCT FROM
       (OLD.package_id, OLD.version, OLD.data, OLD.story, OLD.content_sha256, OLD.kit_id) THEN
        RAISE EXCEPTION 'version % is %: its content is final', OLD.version, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.benchmark_receipt_id, NEW.receipt_kind)
        IS DISTINCT FROM (OLD.benchmark_receipt_id, OLD.receipt_kind) THEN
        PERFORM catalog_receipt_may_follow(OLD, NEW);
    END IF;
    IF OLD.published_at IS NOT NULL AND NEW.published_at IS DISTINCT FROM OLD.published_at THEN
        RAISE EXCEPTION 'version % was published once: its date is final', OLD.version
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.state, NEW.state) NOT IN (
        ('sealed', 'sealed'), ('sealed', 'published'),
        ('published', 'published'), ('published', 'withdrawn'), ('withdrawn', 'withdrawn')
    ) THEN
        RAISE EXCEPTION 'version % cannot go from % to %', OLD.version, OLD.state, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER final BEFORE UPDATE OR DELETE ON catalog_packageversion
    FOR EACH ROW EXECUTE FUNCTION catalog_version_is_final();
ALTER TABLE catalog_packageversion ENABLE ALWAYS TRIGGER final;

CREATE FUNCTION catalog_kit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a kit is its bytes: % is refused', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER final BEFORE UPDATE ON catalog_kit
    FOR EACH ROW EXECUTE FUNCTION catalog_kit_is_final();
ALTER TABLE catalog_kit ENABLE ALWAYS TRIGGER final;
"""

SEALED_REVERSE = """
DROP TRIGGER final ON catalog_packageversion;
DROP FUNCTION catalog_version_is_final();
DROP FUNCTION catalog_receipt_may_follow(catalog_packageversion, catalog_packageversion);
DROP TRIGGER final ON catalog_kit;
DROP FUNCTION catalog_kit_is_final();
"""


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial"), ("receipts", "0003_key_life")]

    operations = [
        migrations.RunSQL(
            RECEIPT_OF_THIS_KIT,
            "ALTER TABLE catalog_packageversion "
            "DROP CONSTRAINT catalog_version_receipt_is_of_its_kit",
        ),
        migrations.RunSQL(SEALED, SEALED_REVERSE),
        append_only("catalog_withheld"),
    ]
