// Commits a file and kills itself at the nth step that modifies the disk, or right after git was started for one: node
// kill-in-commit.ts <n> <workspace> <state folder>. It prints the processes that start others, and exits with 0 if there are
// fewer steps.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { RunContext } from '../../../src/tool/contexts.ts'

const TRACES = ['copyFileSync', 'linkSync', 'mkdirSync', 'renameSync', 'rmSync', 'writeFileSync'] as const

const [nth, root, stateDir] = process.argv.slice(2) as [string, string, string]
const { Spawner } = await import('../../../src/host/processes/spawner/spawner.ts')
const { Files } = await import('../../../src/host/files/files.ts')
const { Git } = await import('../../../src/host/git/git.ts')
const { GitService } = await import('../../../src/host/git/git-service.ts')
const { openWorkspace } = await import('../../../src/host/files/paths.ts')
const { default: tool } = await import('../../../src/tools/git/git_commit.ts')

const spawner = new Spawner(process.env, stateDir)
const workspace = openWorkspace('w', root)
const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
const machine = new GitService({ spawner, roots: () => [root], stateDir, hookPolicy: 'skip' })
const host = {
  files: new Files(workspace, { stateDir, sensitive: [] }, effects),
  git: new Git(machine, workspace, effects)
}
const ctx = { host, canReveal: () => true } as unknown as RunContext
const input = { message: 'Second', files: ['a.txt', 'new.txt'] }
const { state } = await tool.plan!(input, ctx, {})
fs.writeSync(1, JSON.stringify([spawner.pid, machine.pid].filter(pid => pid !== undefined)))

let left = Number(nth)
const step = () => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
const hooks = fs as unknown as Record<string, (...given: unknown[]) => unknown>
for (const name of TRACES) {
  const real = hooks[name]!
  hooks[name] = (...given) => {
    step()
    return real(...given)
  }
}
syncBuiltinESMExports()
const start = spawner.spawn.bind(spawner)
spawner.spawn = async request => {
  const spawned = await start(request)
  step()
  return spawned
}
const running = tool.run(input, ctx, state) as AsyncGenerator<unknown>
while (!(await running.next()).done);
await Promise.all([spawner.close(), machine.close()])
