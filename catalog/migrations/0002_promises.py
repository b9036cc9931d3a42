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
DROP TRIGGER final ON catalog_kit;
DROP FUNCTION catalog_kit_is_final();
"""


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial"), ("receipts", "0002_promises")]

    operations = [
        migrations.RunSQL(
            RECEIPT_OF_THIS_KIT,
            "ALTER TABLE catalog_packageversion "
            "DROP CONSTRAINT catalog_version_receipt_is_of_its_kit",
        ),
        migrations.RunSQL(SEALED, SEALED_REVERSE),
        append_only("catalog_withheld"),
    ]
