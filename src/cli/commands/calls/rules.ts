import type { SavedRule } from '../../../client/client.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { formatEnd, formatUse } from '../../rules/rule-ends.ts'
import { setUpRuleImport } from '../../rules/rule-import.ts'
import { addDemandOptions, addRuleOptions, type RuleOptions, toNewRule } from '../../rules/rule-options.ts'
import { setUpRuleTest } from '../../rules/rule-test.ts'
import { oneLine, toSafeJson } from '../../ui/terminal.ts'

const rules: CommandSetup = (command, context) => {
  command
    .description('List, add, import, test and revoke saved rules. Rules of configuration files are not listed.')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate rules\n  toolgate rules add allow --tool shell_exec --prefix "npm test"\n  toolgate rules test allow --tool shell_exec --prefix "npm test" --since 7d\n  toolgate rules revoke rule_01J…'
    )
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const all = await client.rules({ signal })
      if (terminal.json) return terminal.printJson(all)
      if (all.length === 0) return terminal.info('No saved rules.')
      const rows = all.map(rule => [
        rule.rule_id,
        formatEffect(rule),
        rule.scope,
        formatEnd(rule),
        formatUse(rule),
        oneLine(toSafeJson(rule.match))
      ])
      await terminal.table(['RULE', 'EFFECT', 'SCOPE', 'ENDS', 'USED', 'MATCHES'], rows)
    })

  addDemandOptions(
    addRuleOptions(
      command
        .command('add')
        .description(
          'Save a rule that allows, asks about or denies calls. The rule applies to calls that match all given options.'
        )
        .argument('<effect>', 'allow, ask or deny')
    )
  )
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate rules add allow --tool shell_exec --prefix "npm test"\n  toolgate rules add deny --path "secrets/**" -m "Ask me in person."\n  toolgate rules add allow --tool edit_file --path "docs/**" --for 2h'
    )
    .action(async (effect: string, options: RuleOptions) => {
      const rule = toNewRule(effect, options)
      const client = await context.connect()
      const { terminal, signal } = context
      const added = await client.addRule(rule, { signal })
      if (terminal.json) terminal.printJson(added)
      else terminal.print(added.rule_id)
    })

  setUpRuleTest(command.command('test'), context)
  setUpRuleImport(command.command('import'), context)

  command
    .command('revoke <id...>')
    .description('Revoke saved rules.')
    .addHelpText('after', '\nExample:\n  toolgate rules revoke rule_01J…')
    .action(async (ids: string[]) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const revoked = await client.revokeRule(id, { signal })
        if (terminal.json) terminal.printJson(revoked)
        else terminal.print(`${id} revoked`)
      }
    })
}
export default rules

/** Formats the effect, with what the rule requires of a decision: `ask (2 approvals, within 10m)`. */
function formatEffect({ effect, approvals = 1, expires_after }: SavedRule): string {
  const demands = [
    ...(approvals === 1 ? [] : [`${approvals} approvals`]),
    ...(expires_after === undefined ? [] : [`within ${expires_after}`])
  ]
  return demands.length === 0 ? effect : `${effect} (${demands.join(', ')})`
}
