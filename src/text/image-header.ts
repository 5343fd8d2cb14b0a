// Which image format bytes begin with, and its size in pixels as the header tells it.

export interface ImageHeader {
  media_type: string
  width?: number
  height?: number
}

export function imageHeader(bytes: Buffer): ImageHeader | undefined {
  return FORMATS.find(format => format.begins(bytes))?.read(bytes)
}

/** What other well-known binary formats are called, by their first bytes. */
export function binaryKind(bytes: Buffer): string | undefined {
  return BINARIES.find(([magic]) => bytes.subarray(0, magic.length).equals(magic))?.[1]
}

interface Format {
  begins(bytes: Buffer): boolean
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
    begins: bytes => bytes.length >= 26 && has(bytes, 0, 'BM') && bytes.readUInt32LE(2) === bytes.length,
    read: bytes => ({
      media_type: 'image/bmp',
      width: Math.abs(bytes.readInt32LE(18)),
      height: Math.abs(bytes.readInt32LE(22))
    })
  }
]

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

const BINARIES: [Buffer, string][] = [
  [Buffer.from('%PDF-'), 'PDF document'],
  [Buffer.from('PK\x03\x04'), 'zip archive'],
  [Buffer.from([0x1f, 0x8b]), 'gzip archive'],
  [Buffer.from([0x7f, 0x45, 0x4c, 0x46]), 'program (ELF)'],
  [Buffer.from('SQLite format 3\0'), 'SQLite database']
]
