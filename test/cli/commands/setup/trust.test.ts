// tier: quick
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import t, { type Test } from 'tap'
import { runCli } from '../../../../src/cli/run.ts'
import { readTrustFile } from '../../../../src/host/trust/trust-file.ts'
import { makeTestFolder } from '../../../support/test-folder.ts'

const HOOKS = JSON.stringify({
  hooks: [{ when: 'before', command: ['sh', '.toolgate/check.sh'] }],
  mcp_servers: { git: { command: 'npx', args: ['-y', 'a-server'] }, far: { url: 'https://example.com/mcp' } },
  command_tools: { deploy: { description: 'Deploys.', argv: ['./deploy.sh', '\u001b[2J'] } },
  rules: [{ effect: 'allow', match: { tool: 'shell_exec' } }],
  limits: { read: 1 }
})

/** A project, a home, and a user at a terminal who answers prompts. */
function place(t: Test, files: NonNullable<Parameters<Test['testdir']>[0]>) {
  const folder = makeTestFolder(t, { home: {}, project: files })
  const project = path.join(folder, 'project')
  const env = { HOME: path.join(folder, 'home') }
  const file = path.join(env.HOME, '.config/toolgate/trust.json')

  async function toolgate(argv: string[], { answer, cwd = project }: { answer?: () => string; cwd?: string } = {}) {
    const stdin = Object.assign(new PassThrough(), { isTTY: answer !== undefined })
    const screens = ['', ''] as [string, string]
    const screen = (at: 0 | 1) =>
      Object.assign(
        new Writable({
          write(chunk, _, done) {
            screens[at] += chunk
            if (String(chunk).endsWith('? [y/N] ')) stdin.write(`${answer!()}\n`)
            done()
          }
        }),
        { isTTY: answer !== undefined }
      )
    const code = await runCli({
      argv: [...argv, '--no-color'],
      env,
      cwd,
      pid: process.pid,
      stdin,
      stdout: screen(0),
      stderr: screen(1),
      selfCommand: [],
      exit: code => {
        throw new Error(`exit ${code}`)
      },
      onSignal: () => {}
    })
    // Cursor movements of the prompt are ignored.
    const [stdout, stderr] = screens.map(text =>
      stripVTControlCharacters(text).replaceAll(folder, '').replaceAll('\r', '')
    )
    return { code, stdout: stdout!, stderr: stderr! }
  }
  const at = (name: string) => path.join(project, name)
  return { project, folder, env, file, toolgate, at, trusted: () => [...readTrustFile(file).keys()] }
}

t.test('shows everything a configuration contributes, and trusts it only on yes', async t => {
  const { toolgate, at, trusted, file } = place(t, { '.toolgate': { 'config.jsonc': HOOKS, 'check.sh': 'exit 0\n' } })
  t.same(await toolgate(['trust']), {
    code: 0,
    stdout: 'untrusted  /project/.toolgate/config.jsonc\n           toolgate trust .toolgate/config.jsonc\n',
    stderr: ''
  })
  const no = await toolgate(['trust', '.toolgate/config.jsonc'], { answer: () => '' })
  t.match(no, { code: 5, stdout: '' })
  t.same(
    no.stderr
      .replace(/[0-9a-f]{64}/g, 'SHA')
      .replace(/[0-9a-f]{12} /g, 'SHA ')
      .split('\n'),
    [
      '/project/.toolgate/config.jsonc',
      '  sha256   SHA',
      '  not trusted',
      '  contains   hook before calls: {"command":["sh",".toolgate/check.sh"]}',
      '  contains   MCP server git: {"command":"npx","args":["-y","a-server"]}',
      '  contains   MCP server far: {"url":"https://example.com/mcp"}',
      '  contains   tool deploy: {"description":"Deploys.","argv":["./deploy.sh","\\u001b[2J"]}',
      '  contains   rule: {"effect":"allow","match":{"tool":"shell_exec"}}',
      '  contains   setting limits: {"read":1}',
      '  with file   SHA  /project/.toolgate/check.sh',
      'Trust exactly this content? [y/N] ',
      'toolgate: The file was not trusted.',
      ''
    ]
  )
  t.same(trusted(), [])

  const yes = await toolgate(['trust', '.toolgate/config.jsonc'], { answer: () => 'y' })
  t.match(yes, { code: 0, stdout: 'Trusted /project/.toolgate/config.jsonc with its current content.\n' })
  t.same(trusted(), [at('.toolgate/check.sh'), at('.toolgate/config.jsonc')], 'and the script that it names')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(await toolgate(['trust']), { code: 0, stdout: 'trusted    /project/.toolgate/config.jsonc\n' })
  t.match(await toolgate(['trust', '.toolgate/config.jsonc', '--yes']), { code: 0, stderr: /is already trusted/ })

  writeFileSync(at('.toolgate/check.sh'), 'exit 2\n')
  t.match(await toolgate(['trust']), { code: 0, stdout: /^changed {4}\/project/ })
  t.match(await toolgate(['trust', '--list', '--json']), { code: 0, stdout: /"state":"changed".*"state":"trusted"/ })
  t.match(await toolgate(['trust', '.toolgate/config.jsonc'], { answer: () => 'no' }), {
    code: 5,
    stderr: /changed since it was trusted, \d{4}-/
  })
})

t.test('does not trust what changes while it is shown', async t => {
  const { toolgate, at, trusted } = place(t, { '.toolgate': { 'config.jsonc': HOOKS, 'check.sh': 'exit 0\n' } })
  const meanwhile = () => {
    writeFileSync(at('.toolgate/check.sh'), 'curl evil\n')
    return 'y'
  }
  t.match(await toolgate(['trust', '.toolgate/config.jsonc'], { answer: meanwhile }), {
    code: 6,
    stderr: / was not trusted, because it changed while it was shown\. Review the file again\.\n$/
  })
  t.same(trusted(), [])
})

t.test('without a terminal, requires --yes', async t => {
  const { toolgate, at, trusted } = place(t, { '.toolgate': { tools: { 'a.ts': 'x', lib: { 'b.ts': 'y' } } } })
  t.match(await toolgate(['trust', '.toolgate/tools']), {
    code: 2,
    stderr: /with file {3}[0-9a-f]{12} {2}\/project\/\.toolgate\/tools\/lib\/b\.ts(?:.|\n)*use --yes to trust it\.\n$/
  })
  t.match(await toolgate(['trust', at('.toolgate/tools'), '--yes', '--json']), {
    code: 0,
    stdout: /^\{"\/project\/\.toolgate\/tools":"[0-9a-f]{64}"\}\n$/
  })
  t.same(trusted(), [at('.toolgate/tools')])
  const below = at('.toolgate/tools/lib')
  t.match(await toolgate(['trust'], { cwd: below }), { stdout: 'trusted    /project/.toolgate/tools\n' })
  t.match(await toolgate(['trust', '--json']), { stdout: /"state":"trusted"/ })
})

t.test('lists and revokes trust', async t => {
  const { toolgate, at, trusted, env } = place(t, { '.toolgate': { tools: { 'a.ts': 'x' } }, 'b.sh': 'y' })
  t.match(await toolgate(['trust', '--list']), { code: 0, stderr: 'No trusted files.\n' })
  await toolgate(['trust', '--yes', '.toolgate/tools', 'b.sh'])
  mkdirSync(path.join(env.HOME, '.config/toolgate'), { recursive: true })
  writeFileSync(path.join(env.HOME, '.config/toolgate/config.jsonc'), `{ "trust": { "${at('c.sh')}": "00" } }`)
  rmSync(at('b.sh'))
  const listed = await toolgate(['trust', '--list'])
  t.same(
    listed.stdout
      .replace(/\d{4}-\S+Z/g, 'TIME')
      .replace(/[0-9a-f]{12}/g, 'SHA')
      .replace(/ +/g, ' ')
      .split('\n'),
    [
      'STATE SHA256 SINCE FILE',
      'trusted SHA TIME /project/.toolgate/tools',
      'gone SHA TIME /project/b.sh',
      'gone 00 by the configuration /project/c.sh',
      ''
    ]
  )
  t.match(await toolgate(['trust', '--revoke', 'b.sh', '.toolgate/tools']), {
    code: 0,
    stdout: 'Revoked trust in /project/b.sh.\nRevoked trust in /project/.toolgate/tools.\n'
  })
  t.same(trusted(), [])
  t.match(await toolgate(['trust', '--revoke', 'b.sh']), {
    code: 2,
    stderr: /These files were not trusted: .*\. See: toolgate trust --list/
  })
})

t.test('reports what cannot be trusted, with the resolution', async t => {
  const { toolgate, trusted, file } = place(t, { '.toolgate': { 'config.jsonc': '{ "port": "x", }' } })
  t.match(await toolgate(['trust', 'nothing', '--yes']), {
    code: 2,
    stderr: /File not found: \/project\/nothing\. See: toolgate trust/
  })
  t.match(await toolgate(['trust', '.toolgate/config.jsonc', '--yes']), {
    code: 2,
    stderr: /config\.jsonc:1:3: port must be integer/
  })
  t.match(await toolgate(['trust']), { code: 2, stderr: /config\.jsonc:1:3: port must be integer/ })
  t.match(await toolgate(['trust', '--list', 'a']), { code: 2, stderr: /--list does not take files/ })
  t.match(await toolgate(['trust', '--revoke']), {
    code: 2,
    stderr: /The files whose trust is to be revoked are missing/
  })
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, '{')
  t.match(await toolgate(['trust', '--list']), {
    code: 1,
    stderr: /is not valid JSON; correct it, or delete it and trust the files again/
  })
  t.equal(readFileSync(file, 'utf8'), '{', 'and it is left as it is')
  rmSync(file)
  t.same(trusted(), [])
})

t.test('handles a project without contributions', async t => {
  const { toolgate } = place(t, { 'a.txt': '' })
  t.match(await toolgate(['trust']), { code: 0, stderr: 'Nothing to trust in /project.\n' })
})
