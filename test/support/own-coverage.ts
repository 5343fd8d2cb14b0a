// Loaded first, with --import, into processes whose coverage is measured. Node hands NODE_V8_COVERAGE on to every child, whatever
// environment that is given: helpers and commands would all be measured, for nothing, and tests of environments would see it.
// Test processes are compiled anew, since functions from the compile cache are counted whole. Programs that they start use it all
// the same: there are hundreds.
import { ChildProcess } from 'node:child_process'

interface SpawnOptions {
  args: string[]
  envPairs: string[]
}
const prototype = ChildProcess.prototype as unknown as { spawn(options: SpawnOptions): unknown }

const { spawn } = prototype
prototype.spawn = function (options) {
  const isMeasured = options.args.includes(import.meta.filename)
  const dropped = ['NODE_DISABLE_COMPILE_CACHE', ...(isMeasured ? [] : ['NODE_V8_COVERAGE'])]
  const envPairs = options.envPairs.filter(pair => !dropped.includes(pair.slice(0, pair.indexOf('='))))
  return spawn.call(this, { ...options, envPairs })
}
