// Extended attributes in the form of tar archives (pax headers of GNU tar): reads them from archives, and builds archives of them.

/** Extended attributes of a file, by name. Access control lists are `system.posix_acl_access`. */
export type Attributes = ReadonlyMap<string, Buffer>

const BLOCK = 512
const PREFIX = 'SCHILY.xattr.'
/** Attributes that hold for the content, which is replaced, or that the system gives by place. */
const NOT_KEPT = new Set(['security.capability', 'security.ima', 'security.evm', 'security.selinux'])

/** Returns the attributes of each complete entry of an archive, by its name. */
export function readArchive(archive: Buffer): Map<string, Attributes> {
  const entries = new Map<string, Attributes>()
  let attributes: Attributes = new Map()
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(readText(archive, at + 124, 12), 8) || 0
    const type = String.fromCharCode(archive[at + 156]!)
    const content = archive.subarray(at + BLOCK, at + BLOCK + size)
    if (type === 'x') {
      if (content.length < size) break
      attributes = decodeRecords(content)
    } else if (type === 'L') longName = readText(content, 0, content.length)
    else {
      entries.set(longName ?? readText(archive, at, 100), attributes)
      attributes = new Map()
      longName = undefined
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return entries
}

/** Returns an archive of one empty file with these attributes. */
export function buildArchive(name: string, attributes: Attributes): Buffer {
  const records = encodeRecords(attributes)
  const padding = Buffer.alloc((BLOCK - (records.length % BLOCK)) % BLOCK)
  const header = buildHeader(name, 'x', records.length)
  return Buffer.concat([header, records, padding, buildHeader(name, '0', 0), Buffer.alloc(2 * BLOCK)])
}

/** Returns the attributes as bytes that are equal if these are. */
export function encodeRecords(attributes: Attributes): Buffer {
  const names = [...attributes.keys()].sort()
  return Buffer.concat(names.map(name => encodeRecord(`${PREFIX}${name}`, attributes.get(name)!)))
}

export function decodeRecords(records: Buffer): Attributes {
  const attributes = new Map<string, Buffer>()
  for (let at = 0; at < records.length; ) {
    const length = Number.parseInt(records.toString('latin1', at, at + 20), 10)
    if (!(length > 0)) break
    const record = records.subarray(records.indexOf(' ', at) + 1, at + length - 1)
    at += length
    const equals = record.indexOf('=')
    const key = record.toString('utf8', 0, equals)
    const name = key.slice(PREFIX.length)
    if (key.startsWith(PREFIX) && !NOT_KEPT.has(name)) attributes.set(name, record.subarray(equals + 1))
  }
  return attributes
}

/** A record counts its own length, whose digits count too. */
function encodeRecord(key: string, value: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  let length = body.length
  while (length !== body.length + String(length).length) length = body.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), body])
}

function buildHeader(name: string, type: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name)
  const fields: [at: number, text: string][] = [
    [100, '0000600\0'],
    [108, '0000000\0'],
    [116, '0000000\0'],
    [124, `${size.toString(8).padStart(11, '0')}\0`],
    [136, '00000000000\0'],
    [148, ' '.repeat(8)],
    [156, type],
    [257, 'ustar\x0000']
  ]
  for (const [at, text] of fields) header.write(text, at, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

function readText(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}
