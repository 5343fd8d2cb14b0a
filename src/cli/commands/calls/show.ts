import type { Call } from '../../../client/client.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { formatApproval, formatReason, formatRuleOptions, STATUS_STYLES } from '../../ui/format.ts'
import { printOutput } from '../../ui/print-output.ts'
import { type Terminal, toSafeJson } from '../../ui/terminal.ts'

const show: CommandSetup = (command, context) => {
  command
    .description('Show the details of a call: its parameters, the decision and the result.')
    .argument('<id>', 'tool_call_id')
    .option('--output', 'print only the full output of the command')
    .addHelpText('after', '\nExamples:\n  toolgate show tc_01J…\n  toolgate show tc_01J… --output')
    .action(async (id: string, { output }: { output?: boolean }) => {
      if (output) return printOutput(context, id, { follow: true })
      const client = await context.connect()
      const { terminal, signal } = context
      const call = await client.get(id, { signal })
      if (terminal.json) terminal.printJson(call)
      else terminal.print(formatCall(terminal, call))
    })
}
export default show

/** Formats a call with its parameters, decision and result. */
export function formatCall(terminal: Terminal, call: Call): string {
  if (call.status === 'awaiting_approval')
    return `${formatApproval(terminal, call)}\n\n${formatRuleOptions(terminal, call)}`
  const by = 'approved_by' in call ? call.approved_by : undefined
  const took = 'execution_time_ms' in call ? call.execution_time_ms : undefined
  const changes = ('changes' in call ? call.changes : undefined) ?? []
  const field = (name: string, text: string | undefined) =>
    text ? [`  ${name.padEnd(8)} ${escapeInvisible(text)}`] : []
  return [
    `${escapeInvisible(call.tool)} ${terminal.paint(STATUS_STYLES[call.status], call.status)}  ${terminal.paint('gray', call.tool_call_id)}`,
    ...field('params', toSafeJson(call.params)),
    ...field('original', call.requested_params === undefined ? undefined : toSafeJson(call.requested_params)),
    ...field('caller', [call.client, call.agent, call.session_id].filter(name => name !== undefined).join(' / ')),
    ...field('approved', by && [by.source, by.token?.name, by.client, by.rule_id, by.at].filter(Boolean).join(' ')),
    ...(by?.earlier_approvals ?? []).flatMap(({ token, client, at }) =>
      field('before', [token?.name, client, at].filter(Boolean).join(' '))
    ),
    ...field('created', call.created_at),
    ...field('took', took === undefined ? undefined : `${Math.round(took)} ms`),
    ...field('reason', formatReason(call)),
    ...changes.flatMap(({ operation, path, added = 0, removed = 0 }) =>
      field('changed', `${operation} ${path} +${added} -${removed}`)
    ),
    ...(call.status === 'success' ? ['', escapeInvisible(call.result.content)] : [])
  ].join('\n')
}
