import type { Verb } from './run.ts'
import { safe } from './terminal.ts'

const LONGEST_WAIT_MS = 30_000

const logs: Verb = (command, context) => {
  command
    .description('Print what a command has printed so far.')
    .argument('<task>', 'task_id, or tool_call_id')
    .option('-f, --follow', 'go on until it has ended')
    .option('--stream <name>', 'stdout or stderr alone')
    .addHelpText('after', '\nExamples:\n  toolgate logs tc_01J…\n  toolgate logs tc_01J… --follow')
    .action(async (id: string, { follow = false, stream }: { follow?: boolean; stream?: 'stdout' | 'stderr' }) => {
      const client = await context.connect()
      const { terminal, signal, world } = context
      const query = { limit: 1_048_576, signal, ...(stream && { stream }) }
      for (let offset = 0; ; ) {
        const page = await client.output(id, { ...query, offset, wait_ms: follow ? LONGEST_WAIT_MS : 0 })
        if (terminal.json) terminal.outJson(page)
        else world.stdout.write(safe(page.text))
        offset = page.next_offset
        if (page.ended || (!follow && page.text === '')) return
      }
    })
}
export default logs
