"""Writes a protected file without its password. Usage: unlock-document.py office|opendocument|zip IN OUT; the password is in PASSWORD.

Exit codes: 0 written, 3 wrong password, 4 unsupported kind of protection, 1 anything else.
"""
import base64
import hashlib
import os
import struct
import subprocess
import sys
import zipfile
import zlib
from xml.etree import ElementTree

WRONG, UNKNOWN = 3, 4
MANIFEST = "META-INF/manifest.xml"
NAMESPACE = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}"
# OpenDocument 1.3 part 2, 4.8: the names from 1.2, and those from 1.0 and 1.1.
AES = {"http://www.w3.org/2001/04/xmlenc#aes256-cbc": 32, "http://www.w3.org/2001/04/xmlenc#aes192-cbc": 24, "http://www.w3.org/2001/04/xmlenc#aes128-cbc": 16}
START_KEYS = {"SHA1": hashlib.sha1, "http://www.w3.org/2000/09/xmldsig#sha256": hashlib.sha256, "http://www.w3.org/2001/04/xmlenc#sha256": hashlib.sha256}
CHECKSUMS = {"SHA1/1K": hashlib.sha1, "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k": hashlib.sha256}
# Untrusted files choose the number of rounds, and each costs CPU time; LibreOffice writes 100,000.
MOST_ROUNDS = 1_000_000


def unlock_office(source, target, password):
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    with open(source, "rb") as file:
        document = msoffcrypto.OfficeFile(file)
        try:
            if getattr(document, "type", "") in ("agile", "standard"):
                document.load_key(password=password, verify_password=True)
            else:
                document.load_key(password=password)
            with open(target, "wb") as result:
                document.decrypt(result)
        except InvalidKeyError:
            return WRONG
        except DecryptionError:
            return UNKNOWN
    return 0


def unlock_entry(cipher_text, encryption, password):
    """The bytes of one entry, None if the password is wrong. Raises LookupError for an unknown encryption method."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    algorithm = encryption.find(f"{NAMESPACE}algorithm")
    derivation = encryption.find(f"{NAMESPACE}key-derivation")
    start = encryption.find(f"{NAMESPACE}start-key-generation")
    key_bytes = AES[algorithm.get(f"{NAMESPACE}algorithm-name")]
    if derivation.get(f"{NAMESPACE}key-derivation-name") not in ("PBKDF2", "http://www.w3.org/TR/xmlenc-core1#pbkdf2"):
        raise LookupError("key derivation")
    rounds = int(derivation.get(f"{NAMESPACE}iteration-count"))
    if rounds > MOST_ROUNDS:
        raise LookupError("rounds")
    start_hash = START_KEYS["SHA1" if start is None else start.get(f"{NAMESPACE}start-key-generation-name")]
    salt = base64.b64decode(derivation.get(f"{NAMESPACE}salt"))
    key = hashlib.pbkdf2_hmac("sha1", start_hash(password.encode()).digest(), salt, rounds, key_bytes)
    vector = base64.b64decode(algorithm.get(f"{NAMESPACE}initialisation-vector"))
    decryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
    padded = decryptor.update(cipher_text) + decryptor.finalize()
    packed = padded[: -padded[-1]] if 1 <= padded[-1] <= 16 else padded
    checksum = CHECKSUMS[encryption.get(f"{NAMESPACE}checksum-type")](packed[:1024]).digest()
    if checksum != base64.b64decode(encryption.get(f"{NAMESPACE}checksum")):
        return None
    return without_chaff(zlib.decompress(packed, -15))


def without_chaff(content):
    """Removes the long comment of random characters that LibreOffice puts at the start of each XML part of a protected document."""
    declaration, opening, rest = content[:256].partition(b"<!--")
    end = content.find(b"-->")
    if not opening or end < 0 or not declaration.strip().endswith(b"?>"):
        return content
    return declaration + content[end + 3 :]


def unlock_opendocument(source, target, password):
    with zipfile.ZipFile(source) as locked, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as opened:
        manifest = ElementTree.fromstring(locked.read(MANIFEST))
        encrypted = {}
        for entry in manifest.iter(f"{NAMESPACE}file-entry"):
            encryption = entry.find(f"{NAMESPACE}encryption-data")
            if encryption is not None:
                encrypted[entry.get(f"{NAMESPACE}full-path")] = encryption
                entry.remove(encryption)
                entry.attrib.pop(f"{NAMESPACE}size", None)
        for info in locked.infolist():
            content = locked.read(info)
            if info.filename == MANIFEST:
                content = ElementTree.tostring(manifest, encoding="utf-8", xml_declaration=True)
            elif info.filename in encrypted:
                try:
                    content = unlock_entry(content, encrypted[info.filename], password)
                except (LookupError, AttributeError):
                    return UNKNOWN
                if content is None:
                    return WRONG
            # The media type comes first and uncompressed (OpenDocument 1.3 part 2, 3.3).
            how = zipfile.ZIP_STORED if info.filename == "mimetype" else zipfile.ZIP_DEFLATED
            opened.writestr(info.filename, content, compress_type=how)
    return 0


def unlock_zip(source, target, password):
    # With a wrong password bsdtar prompts ten thousand times, so the password is checked first.
    if not opens_zip(source, password):
        return WRONG
    command = ["/usr/bin/bsdtar", "-cf", target, "--format=zip", f"@{source}"]
    return subprocess.run(command, input=f"{password}\n".encode(), check=False).returncode


def opens_zip(source, password):
    """Checks the password verifier before the first protected entry; a wrong password passes once in 256 (or 65,536) times."""
    with zipfile.ZipFile(source) as locked:
        entry = next((info for info in locked.infolist() if info.flag_bits & 1 and info.compress_size > 0), None)
        if entry is None:
            return True
        strength = aes_strength_of(entry.extra)
        if strength is None:
            try:
                locked.open(entry, pwd=password.encode()).close()
            except RuntimeError:
                return False
            return True
    # AE-1 and AE-2 (winzip.com/en/support/aes-encryption): the salt and two bytes of the derived key precede the data.
    salt_bytes, key_bytes = {1: (8, 16), 2: (12, 24), 3: (16, 32)}[strength]
    with open(source, "rb") as file:
        file.seek(entry.header_offset + 26)
        name_bytes, extra_bytes = struct.unpack("<HH", file.read(4))
        file.seek(name_bytes + extra_bytes, os.SEEK_CUR)
        salt, mark = file.read(salt_bytes), file.read(2)
    return hashlib.pbkdf2_hmac("sha1", password.encode(), salt, 1000, 2 * key_bytes + 2)[-2:] == mark


def aes_strength_of(extra):
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        if kind == 0x9901 and length >= 5:
            return extra[8]
        extra = extra[4 + length :]
    return None


def main():
    kind, source, target = sys.argv[1:]
    unlock = {"office": unlock_office, "opendocument": unlock_opendocument, "zip": unlock_zip}[kind]
    return unlock(source, target, os.environ.pop("PASSWORD"))


sys.exit(main())
