// Tests that the environment of commands is documented.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { runApproved } from '../../tools/commands/jobs.ts'

/** Set by bash itself. */
const OF_THE_SHELL = new Set(['PWD', 'OLDPWD', 'SHLVL', '_'])

t.test('the configuration page documents every variable of a command', needs('sandbox'), async t => {
  const told = readFileSync('docs/configuration.md', 'utf8')
  const app = await startApp(t, {}, { settings: { sandbox: defaultSettings().sandbox } })
  for (const bounds of [{ isolation: 'none' }, { isolation: 'read-only' }, { network: ['example.com'] }]) {
    const { result } = await runApproved(app, 'shell_exec', { command: 'env; true', ...bounds })
    const names = [...result.data.stdout.matchAll(/^(\w+)=/gm)].map(([, name]) => name as string)
    t.ok(names.includes('TOOL_CALL_ID') && names.length > 5)
    const untold = names.filter(name => !OF_THE_SHELL.has(name) && !name.startsWith('LC_') && !isTold(told, name))
    t.strictSame(untold, [], JSON.stringify(bounds))
  }
})

/** Also matches the variable in lower case. */
const isTold = (text: string, name: string) =>
  [name, name.toUpperCase()].some(each => new RegExp(`\`${each}(?:=[\\w-]+)?\``).test(text))
