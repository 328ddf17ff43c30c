"""How an agent remembers: stateless behaviour over thoughts kept in the world."""

from audience.memory.kinds import Fading, Idle, Life, Memory, NoMemory, Recollection, is_idle

__all__ = ["Fading", "Idle", "Life", "Memory", "NoMemory", "Recollection", "is_idle"]
