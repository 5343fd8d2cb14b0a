// Carries the extended attributes of files, access control lists among them, over to the files that replace them. On Linux only.
import { type BigIntStats, closeSync, fstatSync } from 'node:fs'
import { errnoOf } from '../errno.ts'
import { isSameStat, statFingerprint } from '../fingerprint.ts'
import { AttributeTools } from './attribute-tools.ts'
import { type Attributes, decodeRecords, encodeRecords } from './pax.ts'

/** The file whose attributes a new one gets, open while the new one is filled; or attributes that were stored. */
export type AttributesOrigin = FileOrigin | { stored: Buffer }

interface FileOrigin {
  stat: BigIntStats
  open(): number
  /** The new file takes its place: nothing is added by the folder. A copy that has no attributes gets those of its folder. */
  isReplaced: boolean
}

const ACL = 'system.posix_acl_access'
const ACL_HEADER_BYTES = 4
const ACL_ENTRY_BYTES = 8
const ACL_GROUP_OBJ = 0x04
const MAX_REMEMBERED = 10_000
const GROUP_BITS = 0o070
const NONE: Attributes = new Map()

const tools = process.platform === 'linux' ? new AttributeTools() : undefined
/** Fingerprints of files that have no attributes, and whose folders give none to new files. */
const plain = new Set<string>()

/** Remembers that a file has no attributes, as long as nothing of it changes. */
export function rememberPlain(stat: BigIntStats) {
  plain.add(statFingerprint(stat))
  if (plain.size > MAX_REMEMBERED) plain.delete(plain.values().next().value!)
}

/** Returns the attributes of an open file, to be stored; undefined if it has none. */
export async function readAttributes(fd: number): Promise<Buffer | undefined> {
  const stat = fstatSync(fd, { bigint: true })
  if (!tools || plain.has(statFingerprint(stat))) return undefined
  const found = await tools.look({ path: pathOf(fd), size: Number(stat.size) })
  return found && found.size > 0 ? encodeRecords(found) : undefined
}

/** Result of carrying attributes over. */
interface CarriedAttributes {
  /** Nothing had attributes, neither the origin nor the new file by its folder. */
  isPlain: boolean
  /** The permission bits belong to an access control list that was carried over. */
  hasList: boolean
  /** Permission bits that the new file must not have, since its access control list could not be carried over. */
  withheld: number
}

const UNKNOWN: CarriedAttributes = { isPlain: false, hasList: false, withheld: 0 }
const PLAIN: CarriedAttributes = { ...UNKNOWN, isPlain: true }

/** Gives a new, empty file the attributes of its origin, instead of those that its folder gives. */
export async function carryAttributes(fd: number, origin: AttributesOrigin): Promise<CarriedAttributes> {
  if (!tools) return UNKNOWN
  if ('stored' in origin) {
    const attributes = decodeRecords(origin.stored)
    return describeCarried(attributes, await tools.restore(attributes, pathOf(fd)))
  }
  if (plain.has(statFingerprint(origin.stat))) return PLAIN
  const from = openOrigin(origin)
  if (from === undefined) return UNKNOWN
  try {
    const [old, given = NONE] = await Promise.all([
      tools.look({ path: pathOf(from), size: Number(origin.stat.size) }),
      tools.look({ path: pathOf(fd), size: 0 })
    ])
    if (!old) return UNKNOWN
    if (old.size === 0 && given.size === 0) return PLAIN
    if (old.size === 0 && !origin.isReplaced) return UNKNOWN
    return describeCarried(old, await tools.copy(pathOf(from), pathOf(fd)))
  } finally {
    closeSync(from)
  }
}

const describeCarried = (attributes: Attributes, isWhole: boolean): CarriedAttributes => ({
  isPlain: false,
  hasList: isWhole && attributes.has(ACL),
  withheld: isWhole ? 0 : groupBitsWithheld(attributes)
})

/** With a list, the bits shown for the group are those of its mask: the most that anyone named has. */
function groupBitsWithheld(attributes: Attributes): number {
  const acl = attributes.get(ACL)
  if (!acl) return 0
  for (let at = ACL_HEADER_BYTES; at + ACL_ENTRY_BYTES <= acl.length; at += ACL_ENTRY_BYTES)
    if (acl.readUInt16LE(at) === ACL_GROUP_OBJ) return GROUP_BITS & ~(acl.readUInt16LE(at + 2) << 3)
  return GROUP_BITS
}

function openOrigin({ stat, open }: FileOrigin): number | undefined {
  try {
    const fd = open()
    if (isSameStat(stat, fstatSync(fd, { bigint: true }))) return fd
    closeSync(fd)
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
  }
  // It may not be read, or has just been replaced, which the write will notice.
  return undefined
}

const pathOf = (fd: number) => `/proc/${process.pid}/fd/${fd}`
