// Reads a repository's status, which never completes, until killed: node kill-in-read.ts <workspace> <state folder>
import type { RunContext } from '../../../src/tool/contexts.ts'

const [root, stateDir] = process.argv.slice(2) as [string, string]
const { Spawner } = await import('../../../src/host/processes/spawner/spawner.ts')
const { Git } = await import('../../../src/host/git/git.ts')
const { GitService } = await import('../../../src/host/git/git-service.ts')
const { openWorkspace } = await import('../../../src/host/files/paths.ts')

const spawner = new Spawner(process.env, stateDir)
const workspace = openWorkspace('w', root)
const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
const machine = new GitService({ spawner, roots: () => [root], stateDir, hookPolicy: 'skip' })
const git: RunContext['host']['git'] = new Git(machine, workspace, effects)
await git.run(await git.repository('.'), { args: ['status', '--porcelain'] })
