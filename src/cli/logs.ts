import { oneOf } from './exit.ts'
import { printOutput } from './output.ts'
import type { Verb } from './run.ts'

const logs: Verb = (command, context) => {
  command
    .description('Print what a command has printed so far.')
    .argument('<task>', 'task_id, or tool_call_id')
    .option('-f, --follow', 'go on until it has ended')
    .option('--stream <name>', 'stdout or stderr alone')
    .addHelpText('after', '\nExamples:\n  toolgate logs tc_01J…\n  toolgate logs tc_01J… --follow')
    .action((id: string, { follow = false, stream }: { follow?: boolean; stream?: string }) =>
      printOutput(context, id, {
        follow,
        stream: stream === undefined ? undefined : oneOf('--stream', stream, ['stdout', 'stderr'])
      })
    )
}
export default logs
