import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import type { CheckResult, DoctorCheck } from '../../doctor/check-result.ts'
import { FOLDER_CHECKS } from '../../doctor/folder-checks.ts'
import { checkHubAddress, checkHubDatabase } from '../../doctor/hub-checks.ts'
import { MACHINE_CHECKS } from '../../doctor/machine-checks.ts'
import { SERVER_CHECKS } from '../../doctor/server-checks.ts'
import { EXIT } from '../../exit.ts'
import type { Terminal, TextStyle } from '../../ui/terminal.ts'

const DOCTOR_CHECKS: readonly DoctorCheck[] = [...MACHINE_CHECKS, ...FOLDER_CHECKS, ...SERVER_CHECKS]
const STATE_STYLES: Record<CheckResult['state'], TextStyle> = { ok: 'green', warn: 'yellow', fail: 'red' }

interface DoctorOptions {
  hub?: string
  database?: string
}

/** Returns the checks of a hub and its database if one is named, and those of this machine, folder and server otherwise. */
function selectChecks({ hub, database }: DoctorOptions): readonly DoctorCheck[] {
  const named = [
    ...(hub === undefined ? [] : [(context: CliContext) => checkHubAddress(context, hub)]),
    ...(database === undefined ? [] : [() => checkHubDatabase(database)])
  ]
  return named.length > 0 ? named : DOCTOR_CHECKS
}

const doctor: CommandSetup = (command, context) => {
  command
    .description('Check the installation and its dependencies, and suggest solutions. Changes nothing.')
    .option('--hub <url>', 'check only the hub at this address')
    .option('--database <url>', 'check only the database of a hub')
    .addHelpText(
      'after',
      `
Each check is ok, warn or fail. Exit code 1 if any check fails.

Examples:
  toolgate doctor
  toolgate doctor --root ~/app
  toolgate doctor --hub https://hub.example.com --database postgres://toolgate@db/toolgate
  toolgate doctor --json | jq '.[] | select(.state != "ok")'`
    )
    .action(async (options: DoctorOptions) => {
      const { terminal } = context
      const all: CheckResult[] = []
      for (const look of selectChecks(options))
        for (const finding of await look(context)) {
          all.push(finding)
          if (!terminal.json) printResult(terminal, finding)
        }
      if (all.some(({ state }) => state === 'fail')) context.exitCode = EXIT.failed
      if (terminal.json) terminal.printJson(all)
    })
}
export default doctor

function printResult(terminal: Terminal, { check, state, found, cure: hint }: CheckResult) {
  terminal.print(
    `${terminal.paint(STATE_STYLES[state], state.padEnd(4))}  ${check.padEnd(17)} ${escapeInvisible(found)}`
  )
  if (hint !== undefined) terminal.print(`      ${' '.repeat(17)} → ${escapeInvisible(hint)}`)
}
