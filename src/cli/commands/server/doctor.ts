import type { Finding, Look } from '../../doctor/check-result.ts'
import { FOLDERS } from '../../doctor/folder-checks.ts'
import { MACHINE } from '../../doctor/machine-checks.ts'
import { SERVER } from '../../doctor/server-checks.ts'
import { EXIT } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { type Style, safe, type Terminal } from '../../ui/terminal.ts'

const LOOKS: readonly Look[] = [...MACHINE, ...FOLDERS, ...SERVER]
const STYLES: Record<Finding['state'], Style> = { ok: 'green', warn: 'yellow', fail: 'red' }

const doctor: Verb = (command, context) => {
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
      const all: Finding[] = []
      for (const look of LOOKS)
        for (const finding of await look(context)) {
          all.push(finding)
          if (!terminal.json) tell(terminal, finding)
        }
      if (all.some(({ state }) => state === 'fail')) context.exitCode = EXIT.failed
      if (terminal.json) terminal.outJson(all)
    })
}
export default doctor

function tell(terminal: Terminal, { check, state, found, cure }: Finding) {
  terminal.out(`${terminal.paint(STYLES[state], state.padEnd(4))}  ${check.padEnd(17)} ${safe(found)}`)
  if (cure !== undefined) terminal.out(`      ${' '.repeat(17)} → ${safe(cure)}`)
}
