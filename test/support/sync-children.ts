// Gives every synchronous child process a timeout: it blocks this process, so that no limit of a test applies.
import childProcess, { type ExecFileSyncOptions, type SpawnSyncOptions } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { LIMIT_MS } from './wait.ts'

type Argument = string | readonly string[] | ExecFileSyncOptions | SpawnSyncOptions | undefined

for (const name of ['execFileSync', 'execSync', 'spawnSync'] as const) {
  const original = childProcess[name] as (...all: Argument[]) => unknown
  const limited = (...all: Argument[]) => {
    const isOptions = (one: Argument) => typeof one === 'object' && !Array.isArray(one)
    const options = all.find(isOptions) as SpawnSyncOptions | undefined
    const others = all.filter(one => one !== undefined && !isOptions(one))
    return original(...others, { timeout: LIMIT_MS, ...options, killSignal: 'SIGKILL' })
  }
  Object.assign(childProcess, { [name]: limited })
}
syncBuiltinESMExports()
