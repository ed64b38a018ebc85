# SPDX-License-Identifier: Apache-2.0
"""Record batches of every kind, wrong ones too: any header field, keys, headers, the five codecs in their framings."""
import collections
import ctypes
import ctypes.util
import hashlib
import struct
import zlib

from .records import crc32c, read_varint, varint

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
HEADER = struct.Struct('>qiibIhiqqqhii')
FIELDS = ('base_offset length leader_epoch magic crc attributes last_offset_delta first_timestamp max_timestamp '
          'producer_id producer_epoch base_sequence count').split()
T0 = 1_700_000_000_000
LOG_APPEND, TRANSACTIONAL, CONTROL = 8, 16, 32

Record = collections.namedtuple('Record', 'value key headers timestamp', defaults=(None, (), T0))


def blob(data):
    return varint(-1) if data is None else varint(len(data)) + data


def record(item, delta, first_timestamp):
    body = (b'\0' + varint(item.timestamp - first_timestamp) + varint(delta) + blob(item.key) + blob(item.value)
            + varint(len(item.headers)) + b''.join(blob(k) + blob(v) for k, v in item.headers))
    return varint(len(body)) + body


def seal(data):
    """Writes the checksum that fits the rest."""
    return data[:17] + struct.pack('>I', crc32c(data[21:])) + data[21:]


def payload(items, first_timestamp=T0, deltas=None):
    return b''.join(record(item, deltas[i] if deltas else i, first_timestamp) for i, item in enumerate(items))


def batch(items, codec=NONE, compress=None, body=None, deltas=None, **header):
    """One batch; `header` overrides fields (attributes are or-ed with the codec), a given crc is left wrong."""
    items = [Record(i) if i is None or isinstance(i, bytes) else i for i in items]
    first = items[0].timestamp if items else T0
    body = payload(items, first, deltas) if body is None else body
    body = (compress or COMPRESS[codec])(body)
    values = dict(base_offset=0, length=len(body) + 49, leader_epoch=-1, magic=2, crc=0,
                  last_offset_delta=len(items) - 1, first_timestamp=first,
                  max_timestamp=max((i.timestamp for i in items), default=T0), producer_id=-1, producer_epoch=-1,
                  base_sequence=-1, count=len(items), attributes=0)
    values.update(header)
    values['attributes'] |= codec
    data = HEADER.pack(*(values[f] for f in FIELDS)) + body
    return data if 'crc' in header else seal(data)


def gzip(data):
    out = zlib.compressobj(6, zlib.DEFLATED, 31)
    return out.compress(data) + out.flush()


def gzip_of_two_members(data):
    return gzip(data[:len(data) // 2]) + gzip(data[len(data) // 2:])


def library(name):
    return ctypes.CDLL(ctypes.util.find_library(name))


def into(size, call):
    """What `call` writes into a buffer of `size`; it gives the length."""
    out = ctypes.create_string_buffer(size)
    length = call(out, size)
    return out.raw[:length]


def snappy_raw(data):
    lib = library('snappy')
    size = ctypes.c_size_t(len(data) + len(data) // 6 + 64)
    out = ctypes.create_string_buffer(size.value)
    assert lib.snappy_compress(data, ctypes.c_size_t(len(data)), out, ctypes.byref(size)) == 0
    return out.raw[:size.value]


def snappy_xerial(data):
    """The framing of snappy-java: a magic, two versions, then blocks with their length before them."""
    blocks = [snappy_raw(data[i:i + 32768]) for i in range(0, len(data), 32768)]
    return b'\x82SNAPPY\0' + struct.pack('>ii', 1, 1) + b''.join(struct.pack('>i', len(b)) + b for b in blocks)


def zstd(data):
    lib = library('zstd')
    lib.ZSTD_compress.restype = lib.ZSTD_compressBound.restype = ctypes.c_size_t
    bound = lib.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    return into(bound, lambda out, size: lib.ZSTD_compress(out, ctypes.c_size_t(size), data,
                                                           ctypes.c_size_t(len(data)), 3))


class Lz4Preferences(ctypes.Structure):
    _fields_ = [('block_size', ctypes.c_uint), ('linked', ctypes.c_uint), ('content_checksum', ctypes.c_uint),
                ('frame_type', ctypes.c_uint), ('content_size', ctypes.c_ulonglong), ('dictionary', ctypes.c_uint),
                ('block_checksum', ctypes.c_uint), ('level', ctypes.c_int), ('flush', ctypes.c_uint),
                ('fast', ctypes.c_uint), ('reserved', ctypes.c_uint * 3)]


def lz4(data, block_checksum=0, content_checksum=0, linked=0):
    lib = library('lz4')
    lib.LZ4F_compressFrame.restype = lib.LZ4F_compressFrameBound.restype = ctypes.c_size_t
    wanted = Lz4Preferences(block_size=4, linked=0 if linked else 1, content_checksum=content_checksum,
                            block_checksum=block_checksum)
    bound = lib.LZ4F_compressFrameBound(ctypes.c_size_t(len(data)), ctypes.byref(wanted))
    return into(bound, lambda out, size: lib.LZ4F_compressFrame(out, ctypes.c_size_t(size), data,
                                                                ctypes.c_size_t(len(data)), ctypes.byref(wanted)))


COMPRESS = {NONE: lambda d: d, GZIP: gzip, SNAPPY: snappy_xerial, LZ4: lz4, ZSTD: zstd}


def unlz4(data):
    lib = library('lz4')
    lib.LZ4F_decompress.restype = ctypes.c_size_t
    context = ctypes.c_void_p()
    lib.LZ4F_createDecompressionContext(ctypes.byref(context), 100)
    found, at = b'', 0
    while at < len(data):
        out, size = ctypes.create_string_buffer(1 << 16), ctypes.c_size_t(1 << 16)
        used = ctypes.c_size_t(len(data) - at)
        lib.LZ4F_decompress(context, out, ctypes.byref(size), data[at:], ctypes.byref(used), None)
        assert size.value or used.value, 'no lz4 frame'
        found, at = found + out.raw[:size.value], at + used.value
    lib.LZ4F_freeDecompressionContext(context)
    return found


def split(data):
    """([whole batches], bytes of a cut one at the end)."""
    found, at = [], 0
    while len(data) - at >= 12:
        size = 12 + struct.unpack_from('>i', data, at + 8)[0]
        if len(data) - at < size:
            break
        found.append(data[at:at + size])
        at += size
    return found, len(data) - at


def header_of(data):
    return dict(zip(FIELDS, HEADER.unpack_from(data)))


def described(data):
    """A batch as two servers that hold the same should tell it: header, whether the CRC fits, a digest of the rest."""
    header = header_of(data)
    header['crc'] = 'good' if crc32c(data[21:]) == header['crc'] else 'bad'
    header['body'] = hashlib.sha256(data[61:]).hexdigest()[:16]
    return header


def records_of(body, count):
    """[(timestamp delta, offset delta, key, value, headers)] of an uncompressed body."""
    found, at = [], 0

    def take():
        nonlocal at
        size, at = read_varint(body, at)
        if size < 0:
            return None
        at += size
        return body[at - size:at]

    for _ in range(count):
        _, at = read_varint(body, at)
        timestamp, at = read_varint(body, at + 1)
        delta, at = read_varint(body, at)
        key, value = take(), take()
        headers, at = read_varint(body, at)
        found.append((timestamp, delta, key, value, [(take(), take()) for _ in range(headers)]))
    return found
