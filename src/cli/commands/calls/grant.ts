import type { CommandSetup } from '../../command-setup.ts'
import { usageError } from '../../exit.ts'
import { formatEnd } from '../../rules/rule-ends.ts'
import { addRuleOptions, type RuleOptions, toNewRule } from '../../rules/rule-options.ts'
import { oneLine, toSafeJson } from '../../ui/terminal.ts'

const grant: CommandSetup = (command, context) => {
  addRuleOptions(
    command.description(
      'Allow calls in advance, for a limited time, number of uses or session. Saves an allow rule that ends automatically. The rule applies to calls that match all given options; toolgate rules lists it, and toolgate rules revoke ends it earlier.'
    )
  )
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate grant --agent coder --tool git_push --branch "feature/*" --uses 3 --for 1d\n  toolgate grant --tool edit_file --path "docs/**" --for 4h\n  toolgate grant --prefix "npm test" --scope session --session fix-123'
    )
    .action(async (options: RuleOptions) => {
      if (options.for === undefined && options.uses === undefined && options.scope !== 'session')
        throw usageError(
          'The grant has no end.',
          'Add --for 4h, --uses 3 or --scope session; toolgate rules add saves rules without an end.'
        )
      const rule = toNewRule('allow', options)
      const client = await context.connect()
      const { terminal, signal } = context
      const granted = await client.addRule(rule, { signal })
      if (terminal.json) return terminal.printJson(granted)
      terminal.info(`Allows ${oneLine(toSafeJson(granted.match))}. Ends: ${describeEnd(granted, options)}.`)
      terminal.print(granted.rule_id)
    })
}
export default grant

const describeEnd = (rule: Parameters<typeof formatEnd>[0], { scope, session }: RuleOptions) =>
  [...(scope === 'session' ? [`with the session ${session}`] : []), formatEnd(rule)]
    .filter(end => end !== 'never')
    .join(' or ')
