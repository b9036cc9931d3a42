import socket

import pytest

from demo.errors import DemoError
from demo.ports import HOST, check_port, free_ports


def test_a_taken_port_is_refused_with_the_way_out() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(DemoError, match=rf"Port {port}.*store.*taken(.|\n)*PORT="):
            check_port(port, purpose="store")


def test_a_server_on_every_address_takes_the_port_too() -> None:
    with socket.create_server(("", 0)) as server, pytest.raises(DemoError, match="taken"):
        check_port(server.getsockname()[1], purpose="store")


def test_a_free_port_passes() -> None:
    [port] = free_ports(1)
    check_port(port, purpose="store")


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(DemoError, match=f"PORT: {port} for the store"):
        check_port(port, purpose="store")


def test_free_ports_differ() -> None:
    assert len(set(free_ports(5))) == 5
