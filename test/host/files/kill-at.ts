// Makes one file change and kills itself right before the nth step that modifies the disk: node kill-at.ts <n> <change>
// <workspace> <state folder>. Exits with 0 if the change has fewer steps, and with 3 and the error code if it fails.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { CRASH_CHANGES } from './crash-changes.ts'

const TRACES = [
  'copyFileSync',
  'fchmodSync',
  'fdatasync',
  'fsync',
  'linkSync',
  'mkdirSync',
  'renameSync',
  'rmdirSync',
  'rmSync',
  'symlinkSync',
  'unlinkSync',
  'write',
  'writeSync'
] as const

const [nth, change, root, stateDir] = process.argv.slice(2) as [string, string, string, string]
const { Files } = await import('../../../src/host/files/files.ts')
const { openWorkspace } = await import('../../../src/host/files/paths.ts')
const { openUndoStorage } = await import('../../../src/host/undo-store/undo-storage.ts')
const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
const keeping = { ...openUndoStorage(stateDir), call: 'tc_killed' }
const files = new Files(openWorkspace('w', root), { stateDir, sensitive: [] }, effects, keeping)
const act = await CRASH_CHANGES[change]!.prepare(files)

let left = Number(nth)
const hooks = fs as unknown as Record<string, (...given: unknown[]) => unknown>
for (const name of TRACES) {
  const real = hooks[name]!
  hooks[name] = (...given) => {
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    return real(...given)
  }
}
syncBuiltinESMExports()
try {
  await act()
} catch (error) {
  fs.writeSync(1, (error as { code: string }).code)
  process.exitCode = 3
}
