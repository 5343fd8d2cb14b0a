// Latency at a terminal: the start of a small verb, a call, and TAB completion, which asks the server. The floor is Node with an
// empty script.

import type { BenchServer } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import { interleave } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import { type Command, measureDurations, type RunResult } from '../spawner.ts'
import type { Benchmark } from './benchmark.ts'

const EDIT = JSON.stringify({ tool: 'edit_file', params: { path: 'asked.txt', old: 'a', new: 'b' } })
const VERSION = ['version']
const READ = ['call', 'read_file', 'path=asked.txt']
const COMPLETION = ['complete', 'bash', '--', 'toolgate approve ']

export default {
  name: 'cli',
  async measure(ground) {
    ground.write('asked.txt', 'a\n')
    await leavePendingCall(await ground.startToolgate(ground.root, 'unconfigured'))
    const spawner = ground.spawner()
    const each = ground.scale(4)
    const taken = (command: Command, expected: RegExp) => () =>
      measureDurations(each, async () => assertOutput(await spawner.run(command), expected))
    const { version, read, completion, floor } = await interleave(ground.scale(5), {
      version: taken(ground.toolgateCommand(VERSION), /^toolgate \d/),
      read: taken(ground.toolgateCommand(READ), /^ +1\ta$/m),
      completion: taken(ground.toolgateCommand(COMPLETION), /^tc_\w+\tEdit asked\.txt$/m),
      floor: taken({ ...ground.toolgateCommand([]), args: ['-e', '0'] }, /^$/)
    })
    return [
      ...latencyMeasurements('`toolgate version`', { ours: version, floor }, { p50: { bound: 'at most', plus: 120 } }),
      ...latencyMeasurements(
        '`toolgate call read_file`',
        { ours: read, floor },
        { p50: { bound: 'at most', plus: 200 } }
      ),
      ...latencyMeasurements(
        'TAB after `toolgate approve`',
        { ours: completion, floor },
        { p50: { bound: 'at most', plus: 150 } }
      )
    ]
  }
} satisfies Benchmark

/** Creates a pending call for the completion to find. */
async function leavePendingCall(server: BenchServer) {
  const connection = await Connection.open(server)
  const { body } = await connection.send(encodeRequest(server, 'POST', '/calls', {}, EDIT))
  connection.close()
  if (!body.includes('"status":"awaiting_approval"')) throw new Error(`the call does not wait: ${body}`)
}

/** Fails on unexpected output: its time would mean nothing. */
function assertOutput(ran: RunResult, expected: RegExp): RunResult {
  if (ran.code !== 0 || !expected.test(ran.stdout)) throw new Error(`it ended with ${ran.code}: ${ran.stdout}`)
  return ran
}
