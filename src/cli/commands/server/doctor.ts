import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CheckResult, DoctorCheck } from '../../doctor/check-result.ts'
import { FOLDER_CHECKS } from '../../doctor/folder-checks.ts'
import { MACHINE_CHECKS } from '../../doctor/machine-checks.ts'
import { SERVER_CHECKS } from '../../doctor/server-checks.ts'
import { EXIT } from '../../exit.ts'
import type { Terminal, TextStyle } from '../../ui/terminal.ts'

const DOCTOR_CHECKS: readonly DoctorCheck[] = [...MACHINE_CHECKS, ...FOLDER_CHECKS, ...SERVER_CHECKS]
const STATE_STYLES: Record<CheckResult['state'], TextStyle> = { ok: 'green', warn: 'yellow', fail: 'red' }

const doctor: CommandSetup = (command, context) => {
  command
    .description('Check the installation and its dependencies, and suggest fixes. Changes nothing.')
    .addHelpText(
      'after',
      `
Each check is ok, warn or fail. Exit code 1 if any check fails.

Examples:
  toolgate doctor
  toolgate doctor --root ~/app
  toolgate doctor --json | jq '.[] | select(.state != "ok")'`
    )
    .action(async () => {
      const { terminal } = context
      const all: CheckResult[] = []
      for (const look of DOCTOR_CHECKS)
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
