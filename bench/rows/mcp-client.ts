// A tool of an MCP server, called through the server, which evaluates, records and publishes each call; the floor is the same MCP
// server called directly by a client of the protocol's library. Also the start with many such servers.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type BenchEnvironment, REFERENCE_MCP_SERVER } from '../environment.ts'
import { LoadClient, measureLatencies } from '../load-client.ts'
import { interleave, timeEach } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import type { Benchmark } from './benchmark.ts'
import { timeToFirstAnswer } from './start.ts'

const CALL = { name: 'echo', arguments: { message: 'hello' } }
const LATENCY_TARGETS = { p50: { bound: 'at most', times: 1.5, plus: 3 } } as const
const START_TARGET = { p50: { bound: 'at most', plus: 1_000 } } as const

export default {
  name: 'mcp-client',
  async measure(ground) {
    const ours = await ground.startToolgate(ground.root, 'mcp')
    const named = { tool: 'mcp_tool', params: { server: 'good0', tool: CALL.name, arguments: CALL.arguments } }
    const talker = await LoadClient.open(ground, ours, [named])
    const direct = await startDirectClient(ground)
    const samples = ground.scale(300, 5)
    const calls = await interleave(ground.scale(7, 1), {
      ours: () => measureLatencies(talker, samples),
      floor: () => timeEach(samples, () => direct.callTool(CALL))
    })
    await ours.stop()
    const starts = await interleave(ground.scale(7, 1), {
      ours: () => timeToFirstAnswer(() => ground.startToolgate(ground.root, 'many_mcp'), '/calls'),
      floor: () => timeToFirstAnswer(() => ground.startToolgate(), '/calls')
    })
    const [first] = latencyMeasurements(
      'start to first answer with 20 MCP servers, 5 of them broken',
      starts,
      START_TARGET
    )
    return [...latencyMeasurements('a call of an MCP tool', calls, LATENCY_TARGETS), first!]
  }
} satisfies Benchmark

async function startDirectClient(ground: BenchEnvironment): Promise<Client> {
  const direct = new Client({ name: 'bench', version: '1' })
  await direct.connect(
    new StdioClientTransport({ command: process.execPath, args: [REFERENCE_MCP_SERVER], stderr: 'ignore' })
  )
  ground.onCleanup(() => direct.close())
  return direct
}
