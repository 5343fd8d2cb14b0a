// What control groups of ours are called, so that a later server can tell which a killed one left behind.
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { processStartTime } from './pids.ts'

/** A name that no other group has: in containers, every server may have the same number. */
export function newCgroupName(prefix: string): string {
  return [
    prefix,
    pidNamespace(),
    process.pid,
    processStartTime(process.pid) ?? '',
    randomBytes(8).toString('hex')
  ].join('-')
}

/** Whether the server that made the group is gone. Numbers of another namespace tell nothing: those are left alone. */
export function isStaleCgroup(prefix: string, name: string): boolean {
  if (!name.startsWith(`${prefix}-`)) return false
  const [, within, pid, start] = NAME.exec(name.slice(prefix.length + 1)) ?? []
  return within !== undefined && within === pidNamespace() && processStartTime(Number(pid)) !== start
}

/** Namespace, number, time of start, chance. */
const NAME = /^(\d+)-(\d+)-(\d+)-[0-9a-f]{16}$/

/** The number of the namespace that our processes are counted in. */
const pidNamespace = () => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]
