// tier: quick
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { processStartTime } from '../../../src/host/processes/pids.ts'
import { recoverInterruptedWrites } from '../../../src/host/undo-store/crash-recovery.ts'
import { encodeRecord, readRecords, type WalRecord } from '../../../src/host/undo-store/wal-records.ts'
import { WriteAheadLog } from '../../../src/host/undo-store/write-ahead-log.ts'

const LIMIT = 64 * 1024

function makeState(t: Test) {
  const stateDir = mkdtempSync(join(tmpdir(), 'change-log-'))
  t.teardown(() => rmSync(stateDir, { recursive: true, force: true }))
  const folder = join(stateDir, 'changes')
  const file = () => join(folder, readdirSync(folder)[0]!)
  const lines = () => readRecords(file())
  return { stateDir, folder, file, lines }
}

const created = (path: string) => ({ path, operation: 'created' as const })

t.test('drops ended calls from a log once nothing is in flight', t => {
  const { stateDir, file, lines } = makeState(t)
  const log = new WriteAheadLog(stateDir)
  log.isCallOpen = call => call === 'tc_open'
  log.logAndApply({ call: 'tc_open', root: '/w', changes: [created('kept')] }, () => {})
  const fails = () =>
    log.logAndApply({ call: 'tc_open', root: '/w', changes: [created('failed')] }, () => {
      throw new Error('no')
    })
  t.throws(fails, /no/)
  const first = log.beginFile('/w')
  while (statSync(file()).size < LIMIT) {
    const name = log.beginFile('/w')
    log.logAndApply({ call: 'tc_ended', root: '/w', changes: [created('gone')] }, () => {})
    log.endFile(name)
  }
  t.ok(lines().length > 500, 'something is under way all the time')
  log.endFile(first)
  const pid = { pid: process.pid, started: processStartTime(process.pid) }
  t.same(lines(), [
    pid,
    { intent: 1, call: 'tc_open', root: '/w', changes: [created('kept')] },
    { of: 1, verdict: 'done' },
    { intent: 2, call: 'tc_open', root: '/w', changes: [created('failed')] },
    { of: 2, verdict: 'never' }
  ])
  t.equal(statSync(file()).mode & 0o777, 0o600)
  t.match(log.beginFile('/w'), /^\.toolgate-tmp-/, 'and it goes on')
  t.equal(lines().length, 6)
  t.end()
})

t.test('treats a server whose pid was reused as dead', t => {
  const { stateDir, folder } = makeState(t)
  mkdirSync(folder)
  const intent: WalRecord = { intent: 1, call: 'tc_1', root: '/gone', changes: [created('a')] }
  const write = (name: string, writer: WalRecord) =>
    writeFileSync(join(folder, name), [writer, intent, { of: 1, verdict: 'done' } as const].map(encodeRecord).join(''))
  write('lives.log', { pid: process.ppid, started: processStartTime(process.ppid)! })
  t.same(recoverInterruptedWrites(stateDir).changes, new Map(), 'this one lives')
  write('other.log', { pid: process.ppid, started: 'long ago' })
  writeFileSync(join(folder, 'half.log.new'), 'x')
  writeFileSync(join(folder, 'torn.log'), '{"pid":')
  const { changes, forget } = recoverInterruptedWrites(stateDir)
  t.same(changes, new Map([['tc_1', [created('a')]]]))
  t.same(recoverInterruptedWrites(stateDir).changes, changes, 'until it is recorded elsewhere')
  forget()
  t.same(readdirSync(folder), ['lives.log'])
  t.end()
})
