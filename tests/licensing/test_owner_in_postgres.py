"""An entity with members has an owner: Postgres holds it, in raw SQL and in races too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from licensing.models import LicensedEntity, Member, User
from tests.people import make_user
from tests.threads import Rival, at_once

DEMOTE = "UPDATE licensing_member SET role = 'engineer' WHERE user_id = %s"
REMOVE = "DELETE FROM licensing_member WHERE user_id = %s"
ADD = (
    "INSERT INTO licensing_member (entity_id, user_id, role, created_at) VALUES (%s, %s, %s, now())"
)


def execute(sql: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def commits(sql: str, *values: object) -> bool:
    """Whether Postgres lets a transaction with this statement commit."""
    try:
        with transaction.atomic():
            execute(sql, *values)
            execute("SET CONSTRAINTS ALL IMMEDIATE")
            execute("SET CONSTRAINTS ALL DEFERRED")
    except IntegrityError as error:
        if "has members and no owner" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("sql", [DEMOTE, REMOVE])
def test_the_last_owner_stays_while_there_are_others(
    owner: User, team_mate: User, sql: str
) -> None:
    assert not commits(sql, owner.pk)
    assert Member.objects.get(user=owner).role == "owner"
    assert commits(sql, team_mate.pk)


@pytest.mark.parametrize("sql", [DEMOTE, REMOVE])
def test_one_of_two_owners_may_go(owner: User, team_mate: User, sql: str) -> None:
    Member.objects.update(role=Member.Role.OWNER)
    assert commits(sql, owner.pk)
    assert not commits(DEMOTE, team_mate.pk)


def test_the_only_member_may_go_but_not_be_demoted(owner: User, entity: LicensedEntity) -> None:
    assert not commits(DEMOTE, owner.pk)
    assert commits(REMOVE, owner.pk)


def test_nobody_but_an_owner_comes_first(entity: LicensedEntity, owner: User) -> None:
    Member.objects.all().delete()
    assert not commits(ADD, entity.pk, owner.pk, "engineer")
    assert commits(ADD, entity.pk, owner.pk, "owner")


def test_an_owner_does_not_move_away_from_the_others(
    owner: User, team_mate: User, outsider: User
) -> None:
    theirs = LicensedEntity.objects.get(members__user=outsider)
    move = "UPDATE licensing_member SET entity_id = %s WHERE user_id = %s"
    assert not commits(move, theirs.pk, owner.pk)
    assert commits(move, theirs.pk, team_mate.pk)


def test_ownership_passes_on_within_a_transaction(owner: User, team_mate: User) -> None:
    both = (
        """UPDATE licensing_member SET role = CASE user_id WHEN %s THEN 'owner' ELSE 'signer' END"""
    )
    assert commits(both, team_mate.pk)


def test_an_entity_goes_with_all_its_members(entity: LicensedEntity, team_mate: User) -> None:
    entity.delete()
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert not Member.objects.exists()


def test_there_are_three_roles(owner: User, entity: LicensedEntity) -> None:
    with pytest.raises(IntegrityError, match="known_role"):
        execute("UPDATE licensing_member SET role = 'root'")


def second_owner(entity: LicensedEntity) -> User:
    user = make_user("olu@meridian.example")
    Member.objects.create(entity=entity, user=user, role=Member.Role.OWNER)
    return user


def committing(sql: str, user: User) -> Callable[[], None]:
    def act() -> None:
        with transaction.atomic():
            execute(sql, user.pk)

    return act


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sql", [DEMOTE, REMOVE])
def test_of_two_owners_who_are_demoted_at_once_one_stays(
    owner: User, entity: LicensedEntity, team_mate: User, sql: str
) -> None:
    other = second_owner(entity)
    raised = at_once(committing(sql, owner), committing(sql, other))
    assert [type(error) for error in raised] == [IntegrityError]
    assert Member.objects.filter(entity=entity, role=Member.Role.OWNER).count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_second_waits_for_the_first_ones_commit(
    owner: User, entity: LicensedEntity, team_mate: User
) -> None:
    other = second_owner(entity)
    with transaction.atomic():
        execute(DEMOTE, owner.pk)
        execute("SET CONSTRAINTS ALL IMMEDIATE")
        rival = Rival(committing(DEMOTE, other))
        assert rival.is_waiting()
    assert [type(error) for error in rival.finish()] == [IntegrityError]


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_that_could_not_see_the_other_is_refused(
    owner: User, entity: LicensedEntity, team_mate: User
) -> None:
    second_owner(entity)
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        execute(DEMOTE, owner.pk)
        with pytest.raises(IntegrityError, match="READ COMMITTED"):
            execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
