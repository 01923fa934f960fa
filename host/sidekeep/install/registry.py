"""The Windows registry: default values of keys. Not run yet, for want of a Windows machine."""

import sys

from sidekeep.install.machine import RegistryKey

if sys.platform == "win32":
    import winreg

    ROOTS = {"HKCU": winreg.HKEY_CURRENT_USER, "HKLM": winreg.HKEY_LOCAL_MACHINE}

    def read(key: RegistryKey) -> str | None:
        """A key's default value; None where there is none."""
        try:
            with winreg.OpenKey(ROOTS[key.root], key.path) as handle:
                value, kind = winreg.QueryValueEx(handle, "")
        except FileNotFoundError:
            return None
        return str(value) if kind in (winreg.REG_SZ, winreg.REG_EXPAND_SZ) else None

    def write(key: RegistryKey, value: str) -> None:
        """Give a key, which is made where it is missing, a default value. Raises OSError."""
        with winreg.CreateKey(ROOTS[key.root], key.path) as handle:
            winreg.SetValueEx(handle, "", 0, winreg.REG_SZ, value)

    def delete(key: RegistryKey) -> None:
        """Remove a key. Raises OSError."""
        winreg.DeleteKey(ROOTS[key.root], key.path)

else:

    def read(_key: RegistryKey) -> str | None:
        """No registry, no value."""
        return None

    def write(_key: RegistryKey, _value: str) -> None:
        raise OSError("there is no registry on this system")

    def delete(_key: RegistryKey) -> None:
        raise OSError("there is no registry on this system")
