// Names of the server's cgroups, by which a later server recognizes those of a killed one.
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { processStartTime } from './pids.ts'

/** Generates a unique name: in containers, every server may have the same pid. */
export function newCgroupName(prefix: string): string {
  return [
    prefix,
    pidNamespace(),
    process.pid,
    processStartTime(process.pid) ?? '',
    randomBytes(8).toString('hex')
  ].join('-')
}

/**
 * Checks if the server that created the cgroup is gone. Pids of another namespace are meaningless: those cgroups are left alone.
 */
export function isStaleCgroup(prefix: string, name: string): boolean {
  if (!name.startsWith(`${prefix}-`)) return false
  const [, within, pid, start] = NAME.exec(name.slice(prefix.length + 1)) ?? []
  return within !== undefined && within === pidNamespace() && processStartTime(Number(pid)) !== start
}

/** Namespace, pid, start time, random part. */
const NAME = /^(\d+)-(\d+)-(\d+)-[0-9a-f]{16}$/

/** Returns the id of the pid namespace of the server's processes. */
const pidNamespace = () => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]
