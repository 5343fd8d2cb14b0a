// Tests of lines that run unasked because the sandbox confines them to reading: run for real, on a workspace with secrets.
// tier: full
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { snapshotFolder } from '../snapshot-folder.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp } from '../start-app.ts'
import { needs } from '../support/needs.ts'

const SECRET = 'correct-horse-battery-staple'
const COMMITTED_SECRET = 'committed-horse-battery-staple'
const OUTSIDE = 'outside-horse-battery-staple'

const FILES = {
  'a.txt': 'one\ntwo\n',
  'src/a.ts': 'export const a = 1\n',
  'src/b.ts': 'export const b = 2\n',
  'package.json': '{ "name": "sample", "version": "1.0.0" }\n',
  '.env': `API_SECRET=${SECRET}\n`,
  'config/credentials.json': `{ "secret": "${SECRET}" }\n`,
  // A pattern stands for this, too.
  '--output=written.txt': 'x\n',
  list: '.env\nconfig/credentials.json\n../outside.txt\n'
}

async function startWorkspace(t: Test) {
  const sandbox = { ...defaultSettings().sandbox, level: 'auto' as const }
  // Masking would hide what is read.
  const secrets = { ...defaultSettings().secrets, mask: false }
  const app = await startApp(t, FILES, { settings: { sandbox, secrets } })
  const git = (...args: readonly string[]) =>
    execaSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: app.root, stdio: 'ignore' })
  git('init', '-q')
  app.write('.env.old', `API_SECRET=${COMMITTED_SECRET}\n`)
  git('add', '--force', '.env.old', 'src', 'a.txt')
  git('commit', '-qm', 'Add files')
  git('rm', '-qf', '.env.old')
  git('commit', '-qm', 'Remove a file')
  writeFileSync(path.join(app.folder, 'outside.txt'), `${OUTSIDE}\n`)
  return app
}

const run = (app: TestApp, command: string): Promise<Json> =>
  app.post(
    '/calls',
    { tool: 'shell_exec', params: { command, timeout_ms: 120_000 } },
    { authorization: `Bearer ${CALL_TOKEN}` }
  )

t.test('lines of every shape run unasked, and print what they would', needs('sandbox'), async t => {
  const app = await startWorkspace(t)
  const printed = {
    'cat src/*.ts': 'export const a = 1\nexport const b = 2\n',
    'cat src/{a,b}.ts | wc -l': '2\n',
    'for f in src/*.ts; do head -1 "$f"; done': 'export const a = 1\nexport const b = 2\n',
    'if [ -f a.txt ]; then tail -1 a.txt; fi': 'two\n',
    "find src -name '*.ts' -exec grep -l b {} \\;": 'src/b.ts\n',
    'ls src | xargs -n1 echo': 'a.ts\nb.ts\n',
    "git ls-files 'src/*' | xargs wc -l | tail -1": ' 2 total\n',
    'cd src; ls': 'a.ts\nb.ts\n',
    "awk 'NR==2' a.txt": 'two\n',
    'x=$(git log -1 --format=%s); echo "$x."': 'Remove a file.\n',
    'diff <(cat src/a.ts) <(cat src/a.ts) && echo same': 'same\n',
    'python3 -c \'import json; print(json.load(open("package.json"))["version"])\'': '1.0.0\n',
    'git -C src status --short -uno': ''
  }
  for (const [command, output] of Object.entries(printed)) {
    const { status, approved_by, result } = await run(app, command)
    t.match({ status, approved_by }, { status: 'success', approved_by: { source: 'auto' } }, command)
    t.match(result?.data, { output, isolation: 'read-only' }, command)
  }
})

t.test('lines that are not what they are taken for change, reveal and reach nothing', needs('sandbox'), async t => {
  const app = await startWorkspace(t)
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const before = { root: snapshotFolder(app.root), outside: readFileSync(path.join(app.folder, 'outside.txt'), 'utf8') }
  const python = (code: string) => `python3 -c '${code}'`
  const node = (code: string) => `node -e '${code}'`
  const hostile = [
    // Changes.
    python('import os; getattr(os, "unl" + "ink")("a.txt")'),
    python('import os; getattr(os, "sys" + "tem")("r" + "m -rf src; to" + "uch new; echo x > a.txt")'),
    python('import os; getattr(os, "sys" + "tem")("cd ..; r" + "m -rf outside.txt; to" + "uch new")'),
    python('import os; getattr(os, "sys" + "tem")("echo x > .git/hooks/pre-commit; git commit --allow-empty -m x")'),
    python('m = "w"; open("new", m)'),
    node('process.getBuiltinModule("f" + "s")["r" + "mSync"]("src", { recursive: true })'),
    node('process.getBuiltinModule("f" + "s")["wr" + "iteFileSync"]("a.txt", "")'),
    `perl -e '&{\\&{"CORE::" . "unl" . "ink"}}("a.txt")'`,
    `ruby -e 'File.public_send("del" + "ete", "a.txt")'`,
    'sort *',
    'printf *',
    // Secrets of the workspace.
    python('print(open(".e" + "nv").read())'),
    python('import glob; [print(open(f).read()) for f in glob.glob("**/*", recursive=True) if "." in f]'),
    node('console.log(String(process.getBuiltinModule("f" + "s").readFileSync("config/credentials.json")))'),
    "cat $(printf '\\056env')",
    'x=$(printf \'\\056env\'); cat "$x"',
    'x=$(printf \'\\056env\'); base64 < "$x"',
    'while read f; do cat "$f"; done < list',
    'cat list | xargs cat',
    'cat config/*',
    'for f in config/*; do cat "$f"; done',
    'find . -type f | xargs cat',
    'find . -type f -exec cat {} +',
    // Secrets of the history.
    python('import glob, zlib; [print(zlib.decompress(open(f, "rb").read())) for f in glob.glob(".git/objects/*/*")]'),
    python('import os; getattr(os, "sys" + "tem")("git log -p --all --text")'),
    // The environment, the server's own state, and other machines.
    python('import os; print(getattr(os, "en" + "viron"))'),
    python('print(open("/proc/1/en" + "viron").read())'),
    python(`import glob; [print(open(f, "rb").read()) for f in glob.glob("${app.folder}/stat*/*")]`),
    python(`import importlib; importlib.import_module("soc" + "ket").create_connection(("127.0.0.1", ${port}), 2)`),
    `node -p 'import("node:n" + "et").then(m => m.connect(${port}))'`,
    // What stays.
    'sleep 1000 &'
  ]
  for (const command of hostile) {
    const call = await run(app, command)
    t.match(call, { status: 'success', result: { data: { isolation: 'read-only' } } }, command)
    const shown = JSON.stringify(call)
    for (const secret of [SECRET, COMMITTED_SECRET, OUTSIDE]) {
      const spelled = [secret, Buffer.from(`API_SECRET=${secret}\n`).toString('base64').slice(0, 30)]
      for (const one of spelled) t.notOk(shown.includes(one), `${command} shows no secret`)
    }
  }
  t.strictSame(snapshotFolder(app.root), before.root, 'the workspace is unchanged')
  t.equal(readFileSync(path.join(app.folder, 'outside.txt'), 'utf8'), before.outside)
  t.equal(connections, 0)
})

t.test('with the history in view, only what cannot read its objects runs unasked', needs('sandbox'), async t => {
  const app = await startWorkspace(t)
  const asks = [
    'for r in $(git rev-list --all); do git show "$r"; done',
    'git rev-list --all | xargs git show',
    'git log -1; cat $(find . -type f)',
    'git log -1; f=$(cat list); base64 "$f"',
    'git log -1; cat list | xargs base64',
    'git log -1; find . -type f | xargs base64',
    'git log -1; sort *',
    "git log -1; python3 -c 'print(1)'",
    'git log -1; for PATH in src; do ls; done',
    'git log -1; : $((PATH=1)); ls',
    'git log -1; cd .git/objects; base64 */*',
    'git log -1; cd .git/objects; base64 *',
    'git log -1; cd src; base64 *',
    'git log -1; base64 src/*/*',
    'git log -1; find -L src -exec base64 {} +'
  ]
  for (const command of asks) t.equal((await run(app, command)).status, 'awaiting_approval', command)
  for (const command of ['git log -1; wc -l src/*.ts', 'git log -1 | while read f; do echo "$f"; done'])
    t.equal((await run(app, command)).status, 'success', command)
})
