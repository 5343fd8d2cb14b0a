// tier: quick
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { COMMANDS, helpEpilogue } from '../../../../scripts/cli-tables.ts'
import { COMPLETION_SCRIPTS } from '../../../../src/cli/completion/scripts.ts'
import { ARGUMENT_SOURCES, FLAG_SOURCES } from '../../../../src/cli/completion/sources.ts'
import { needs } from '../../../support/needs.ts'
import { run } from '../../../support/wait.ts'
import { serveProject } from '../../toolgate.ts'

const { client, commandOf, folder, project, toolgate } = await serveProject(t)

const every = [...COMMANDS].flatMap(([name, command]) => [
  { name, command },
  ...command.commands.map(nested => ({ name: `${name} ${nested.name()}`, command: nested }))
])

t.test('every help text has an example', async t => {
  for (const { name, command } of every) t.match(helpEpilogue(command), /Examples?:\n {2}\S/, name)
})

t.test('completes what verbs declare', async t => {
  const places = every.flatMap(({ name, command }) =>
    command.registeredArguments.map(argument => `${name} ${argument.name()}`)
  )
  for (const place of Object.keys(ARGUMENT_SOURCES)) t.ok(places.includes(place), place)
  const flags = every.flatMap(({ command }) => command.options.map(({ long }) => long))
  for (const flag of Object.keys(FLAG_SOURCES)) t.ok(flags.includes(flag), flag)
})

t.test('suggests values, from the server if it has them', async t => {
  const id = (await toolgate(['call', 'shell_exec', 'command=touch b', '--no-wait'])).stdout.trim()
  const rule = (await toolgate(['rules', 'add', 'deny', '--tool', 'x'])).stdout.trim()
  const after = async (...words: string[]) => {
    const { code, stdout, stderr } = await toolgate(['complete', 'fish', '--', ...words])
    t.same({ code, stderr }, { code: 0, stderr: '' })
    return stdout.trimEnd().split('\n')
  }
  t.same(await after('appr'), [
    'approvals\tlist calls that are waiting for approval',
    'approve\treview waiting calls and approve or reject them'
  ])
  t.same(await after('approve', ''), [`${id}\ttouch b`])
  t.same(await after('approve', id, ''), [''], 'each once')
  t.same(await after('rules', 'revoke', ''), [`${rule}\tdeny {"tool":"x"}`])
  t.match(await after('--root', project, 'call', 'read_f'), [/^read_file\tRead/])
  t.match((await after('call', 'read_file', 'path=a.txt', 'l')).join(), /^limit=\t/)
  t.same(await after('audit', '--decision=re'), ['--decision=rejected'])
  t.same(await after('serve', '--root', ''), [':folders'])
  t.same(await after('config', 'get', 'limits.re'), ['limits.read'])
  t.same(await after('approve', '--ye'), ['--yes\tapprove without asking'])
  t.same(await after('--root', folder, 'approve', ''), [''], 'no server, nothing said')
  t.same(await after('nonsense', ''), [''])
})

t.test('completes in bash without running anything on the line', async t => {
  for (const session_id of ['evil;touch ran $(touch ran)', 'evil\u0007', 'evil\u202e'])
    await client.call('shell_exec', { command: 'touch b' }, { session_id })
  const { file, args, cwd, env } = commandOf([])
  const script = `
    toolgate() { ${[file, ...args].map(word => `'${word}'`).join(' ')} "$@"; }
    for _ in 1 2; do ${COMPLETION_SCRIPTS.bash} done
    try() { COMP_LINE=$1 COMP_POINT=\${#1}; _toolgate 2>/dev/null; echo "\${COMPREPLY[*]}"; }
    try 'toolgate appro'
    try 'toolgate audit --decision=re'
    try "toolgate tools 'read_"
    try 'toolgate call read_file $(touch ran) pat'
    try 'toolgate tail --session evil'
    eval "set -- ${'$'}{COMPREPLY[*]}"; echo "$# $1"`
  const { stdout, stderr } = await run('bash', ['-c', script], { cwd, env: env as NodeJS.ProcessEnv })
  t.same(stderr, '')
  t.same(
    stdout,
    'approvals approve\nrejected\nread_file\npath=\nevil\\;touch\\ ran\\ \\$\\(touch\\ ran\\)\n1 evil;touch ran $(touch ran)\n'
  )
  t.notOk(existsSync(path.join(project, 'ran')))
  t.match(await toolgate(['completion', 'tcsh']), {
    code: 2,
    stderr: /Invalid shell: tcsh\. Expected one of: bash, zsh, fish\./
  })
})

for (const [shell, args] of [
  ['zsh', ['-n', '-c']],
  ['fish', ['-n', '-c']]
] as const) {
  t.test(`${shell} accepts its script`, needs(shell), async t => {
    await t.resolves(run(shell, [...args, COMPLETION_SCRIPTS[shell]!]))
  })
}
