// Tests of what an import of policies saves: what restricts, and what is allowed by options.
// tier: quick
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { servedIn, UNSANDBOXED } from '../toolgate.ts'

t.test('saves what restricts, and what allows only if it is confirmed', async t => {
  const { toolgate, project, folder } = await servedIn(t, UNSANDBOXED)
  const settings = { permissions: { allow: ['Bash(echo hi)', 'Bash(npm test:*)'], deny: ['Bash(curl:*)'] } }
  mkdirSync(path.join(project, '.claude'))
  writeFileSync(path.join(project, '.claude/settings.json'), JSON.stringify(settings, undefined, 2))
  mkdirSync(path.join(folder, 'home/.codex/rules'), { recursive: true })
  writeFileSync(path.join(folder, 'home/.codex/rules/a.rules'), 'prefix_rule(pattern = ["rm"], decision = "prompt")\n')
  const rules = async () => JSON.parse((await toolgate(['rules', '--json'])).stdout)
  t.match(await toolgate(['rules', 'import']), { code: 0, stdout: /echo hi/ })
  t.same(await rules(), [], 'a preview saves nothing')
  const first = await toolgate(['rules', 'import', '--save'])
  t.match(first, { code: 0, stderr: /2 rules saved\.\n2 allow rules were not saved/ })
  t.match(await rules(), [
    { effect: 'deny', match: { command: 'curl', mode: 'prefix' }, scope: 'workspace' },
    { effect: 'ask', match: { command: 'rm', mode: 'prefix' }, scope: 'user' }
  ])
  const preview = JSON.parse((await toolgate(['rules', 'import', '--json'])).stdout)
  const entries = preview.files.flatMap((file: { entries: unknown[] }) => file.entries)
  t.match(
    entries.map(({ saved }: { saved: boolean }) => saved),
    [false, false, true, true]
  )
  t.match(await toolgate(['rules', 'import', '--save', '--allow', '000000']), { code: 2, stderr: /has the id 000000/ })
  t.match(await toolgate(['rules', 'import', '--allow-all']), { code: 2, stderr: /--allow requires --save/ })
  const second = await toolgate(['rules', 'import', '--save', '--allow', entries[0].id])
  t.match(second, { code: 0, stderr: /1 rules saved\.\n1 allow rules were not saved/ })
  const explained = JSON.parse((await toolgate(['explain', 'shell_exec', 'command=echo hi', '--json'])).stdout)
  t.match(explained.verdict, { decision: 'allow', source: 'rule' })
  t.match(await toolgate(['rules', 'import', '--save', '--allow-all', '--json']), { code: 0 })
  t.equal((await rules()).length, 4)
  t.match(await toolgate(['rules', 'import', '--save', '--allow-all']), { code: 0, stderr: /0 rules saved\.\n$/ })
  t.equal((await rules()).length, 4, 'nothing is saved twice')
})
