// Detects image formats by their first bytes, with the size in pixels from the header. SVG is text, and read as such.

export interface ImageHeader {
  media_type: string
  width?: number
  height?: number
}

/** Reads the header from a file's first bytes; `size` is the size of the whole file. */
export function imageHeader(bytes: Buffer, size: number): ImageHeader | undefined {
  return FORMATS.find(format => format.begins(bytes, size))?.read(bytes)
}

/** Names other well-known binary formats by their first bytes. */
export function binaryKind(bytes: Buffer): string | undefined {
  return BINARIES.find(([magic]) => bytes.subarray(0, magic.length).equals(magic))?.[1]
}

interface Format {
  begins(bytes: Buffer, size: number): boolean
  read(bytes: Buffer): ImageHeader
}

const has = (bytes: Buffer, at: number, text: string) => bytes.toString('latin1', at, at + text.length) === text

const FORMATS: Format[] = [
  {
    begins: bytes => bytes.length >= 24 && has(bytes, 0, '\x89PNG\r\n\x1a\n'),
    read: bytes => ({ media_type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) })
  },
  {
    begins: bytes => bytes.length >= 10 && (has(bytes, 0, 'GIF87a') || has(bytes, 0, 'GIF89a')),
    read: bytes => ({ media_type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) })
  },
  {
    begins: bytes => bytes.length >= 4 && has(bytes, 0, '\xff\xd8\xff'),
    read: bytes => ({ media_type: 'image/jpeg', ...jpegSize(bytes) })
  },
  {
    begins: bytes => bytes.length >= 30 && has(bytes, 0, 'RIFF') && has(bytes, 8, 'WEBP'),
    read: bytes => ({ media_type: 'image/webp', ...webpSize(bytes) })
  },
  {
    begins: (bytes, size) => bytes.length >= 26 && has(bytes, 0, 'BM') && bytes.readUInt32LE(2) === size,
    read: bytes => ({
      media_type: 'image/bmp',
      width: Math.abs(bytes.readInt32LE(18)),
      height: Math.abs(bytes.readInt32LE(22))
    })
  },
  {
    begins: bytes => bytes.length >= 16 && has(bytes, 4, 'ftyp') && AVIF_BRANDS.some(brand => has(bytes, 8, brand)),
    read: bytes => ({ media_type: 'image/avif', ...avifSize(bytes) })
  },
  {
    // Two numbers alone would match too many files: the first picture must be within the file, after the table.
    begins: (bytes, size) =>
      bytes.length >= 22 &&
      has(bytes, 0, '\0\0\x01\0') &&
      bytes.readUInt16LE(4) > 0 &&
      bytes.readUInt32LE(18) >= 6 + 16 * bytes.readUInt16LE(4) &&
      bytes.readUInt32LE(18) + bytes.readUInt32LE(14) <= size,
    read: bytes => ({ media_type: 'image/x-icon', width: bytes[6]! || 256, height: bytes[7]! || 256 })
  }
]

const AVIF_BRANDS = ['avif', 'avis']

/** The first start-of-frame segment holds the size; segments before it are skipped by their length. */
function jpegSize(bytes: Buffer) {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return {}
}

function webpSize(bytes: Buffer) {
  if (has(bytes, 12, 'VP8X')) return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
  if (has(bytes, 12, 'VP8 ')) return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (!has(bytes, 12, 'VP8L')) return {}
  const bits = bytes.readUInt32LE(21)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}

/** The first box of the kind `ispe` (image spatial extents) holds the size, after four bytes of version and flags. */
function avifSize(bytes: Buffer) {
  const at = bytes.indexOf('ispe', 0, 'latin1') + 8
  if (at < 8 || at + 8 > bytes.length) return {}
  return { width: bytes.readUInt32BE(at), height: bytes.readUInt32BE(at + 4) }
}

const BINARIES: [Buffer, string][] = [
  [Buffer.from('PK\x03\x04'), 'zip archive'],
  [Buffer.from([0x1f, 0x8b]), 'gzip archive'],
  [Buffer.from([0x7f, 0x45, 0x4c, 0x46]), 'program (ELF)'],
  [Buffer.from([0xcf, 0xfa, 0xed, 0xfe]), 'program (Mach-O)'],
  [Buffer.from('SQLite format 3\0'), 'SQLite database'],
  [Buffer.from('II*\0'), 'TIFF image'],
  [Buffer.from('MM\0*'), 'TIFF image']
]
