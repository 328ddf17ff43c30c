"""How an agent remembers: stateless behaviour over thoughts kept in the world."""

from audience.memory.kinds import Memory, NoMemory

__all__ = ["Memory", "NoMemory"]
