// Tests of auto-approved commands: started without a shell if they are one program, and with git configured to run nothing that a
// repository names.
// tier: quick
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const settings = { sandbox: defaultSettings().sandbox }
const RAN = 'RAN-BY-THE-REPOSITORY'

/** Creates a folder of programs that comes first on the server's search path. */
function programs(t: Test, scripts: Record<string, string>) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-programs-')))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  const { PATH } = process.env
  process.env.PATH = `${folder}:${PATH}`
  t.teardown(() => {
    process.env.PATH = PATH
    rmSync(folder, { recursive: true })
  })
}

t.test('starts one program directly, and a shell only if needed', needs('bwrap'), async t => {
  programs(t, { bash: 'echo a shell ran; exec /bin/bash "$@"' })
  const { call } = await startApp(t, { 'a b.txt': 'text\n' }, { settings })
  const ran = async (command: string) => {
    const { status, error, approved_by, result } = await call('shell_exec', { command })
    t.match(approved_by, { source: 'auto' }, JSON.stringify({ status, error }))
    return result?.data.stdout
  }
  t.equal(await ran(`cat 'a b.txt'`), 'text\n')
  t.equal(await ran(`/bin/cat a\\ b.txt`), 'text\n')
  t.equal(await ran('cat a\\ b.txt | cat'), 'a shell ran\ntext\n')
})

t.test("git reads run none of a repository's programs", needs('bwrap'), async t => {
  const { call, post, root, write } = await startApp(t, { 'a.txt': 'a\n' }, { settings })
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: root,
      stripFinalNewline: false
    }).stdout
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  const canary = path.join(root, 'canary')
  write('canary', `#!/bin/sh\necho ${RAN} >&2\necho ${RAN}\necho '[GNUPG:] GOODSIG 0123456789ABCDEF ${RAN}'\n`)
  chmodSync(canary, 0o755)
  mkdirSync(path.join(root, '.git/hooks'), { recursive: true })
  write('.git/hooks/post-index-change', `#!/bin/sh\necho ${RAN} >&2\n`)
  chmodSync(path.join(root, '.git/hooks/post-index-change'), 0o755)
  for (const name of ['core.fsmonitor', 'gpg.program', 'core.pager', 'pager.status']) git('config', name, canary)
  git('config', 'log.showSignature', 'true')
  // A format in the repository's configuration, for a commit that claims to be signed.
  git('config', 'pretty.own', '%s %GS')
  const [head, ...message] = git('cat-file', 'commit', 'HEAD').split('\n\n')
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----'
  const signed = [`${head}\n${signature}`, ...message].join('\n\n')
  const { stdout } = execaSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd: root, input: signed })
  git('update-ref', 'HEAD', stdout)
  t.match(git('log', '--format=own'), RAN)
  write('a.txt', 'b\n')

  const reads = ['git status', 'git diff', 'git log -p', 'git log --format=own', 'git status --short | head -3']
  for (const command of reads) {
    const { status, approved_by, error, result } = await call('shell_exec', { command })
    t.equal(status, 'success', JSON.stringify(error))
    t.match(approved_by, { source: 'auto' }, command)
    t.match(result.data, { exit_code: 0, isolation: 'read-only' }, JSON.stringify(result.data))
    t.notMatch(result.data.output, RAN, command)
    t.match(result.data.output, command.includes('log') ? 'first' : 'a.txt', command)
  }

  const asked = await call('shell_exec', { command: 'git status > status.txt 2>&1; cat status.txt' })
  const { digest } = asked.approval
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(done.result.data.output, RAN, 'what a person lets run does run it')
})

t.test('background commands require approval', needs('bwrap'), async t => {
  const { call } = await startApp(t, {}, { settings })
  t.match(await call('shell_background', { command: 'sleep 600' }), {
    status: 'awaiting_approval',
    approval: { reason: 'Only reads, but continues in the background.' }
  })
})
