// Tests of the bridge with real programs in a bare sandbox without a network: they reach only the granted hosts.
// tier: quick
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa, execaSync } from 'execa'
import t from 'tap'
import { type Egress, openEgress } from '../../../src/host/egress/egress.ts'
import { needs } from '../../support/needs.ts'
import { LIMIT_MS } from '../../support/wait.ts'
import { createFakeNetwork, getPort, listen } from './fake-network.ts'

t.test('the bridge', needs('bwrap', 'curl'), async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'bridge-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  repository(path.join(folder, 'repo.git'))
  const web = createServer(({ url = '', method, headers }, response) => {
    if (!url.startsWith('/repo.git/')) return void response.end(`${method} ${url} for ${headers.host}\n`)
    try {
      response.end(readFileSync(path.join(folder, url.replace(/\?.*$/, ''))))
    } catch {
      response.writeHead(404).end()
    }
  })
  await listen(t, web)
  const network = createFakeNetwork(web, { 'private.test': [['192.168.0.1']] })
  const fresh = async () => {
    const egress = await openEgress({ folder, allow: ['a.test', '*.b.test', 'private.test'], ownPorts: [], network })
    t.teardown(() => egress.close())
    return egress
  }
  const bash = async (script: string, stdin = '') => inside(await fresh(), ['/bin/bash', '-c', script], { stdin })

  t.test('curl, over http and through a tunnel', async t => {
    t.match(await bash('curl -sS http://a.test/x && curl -sS --proxytunnel http://www.b.test/y'), {
      code: 0,
      stdout: 'GET /x for a.test\nGET /y for www.b.test\n',
      stderr: ''
    })
  })

  t.test('rejects hosts that were not granted, with the reason', async t => {
    const egress = await fresh()
    const script = 'curl -sS http://c.test/; curl -sS http://private.test/; curl -sS https://c.test/'
    const answer = await inside(egress, ['/bin/bash', '-c', script])
    t.match(answer, {
      code: 56,
      stdout:
        /^Access from the sandbox denied: The host c\.test with port 80 is not one[^\n]*\n[^\n]*private\.test resolves to a private address\.\n$/,
      stderr: /CONNECT.*403/
    })
    t.strictSame(
      (await egress.close()).refused.map(({ host, port }) => [host, port]),
      [
        ['c.test', 80],
        ['private.test', 80],
        ['c.test', 443]
      ]
    )
  })

  t.test('fetch of Node', async t => {
    const script = "fetch('http://a.test/n').then(r => r.text()).then(text => process.stdout.write(text))"
    t.match(await inside(await fresh(), [process.execPath, '-e', script]), { code: 0, stdout: 'GET /n for a.test\n' })
  })

  t.test('git clone', async t => {
    const answer = await bash('cd /tmp && git clone -q http://a.test/repo.git && cat repo/read.me')
    t.match(answer, { code: 0, stdout: 'hello\n' })
  })

  t.test('reaches nothing without the proxy', async t => {
    const direct = `curl -sS --noproxy '*' -m 2`
    const { code, stdout, stderr } = await bash(
      `${direct} http://127.0.0.1:${getPort(web)}/; ${direct} http://1.1.1.1/; ${direct} http://a.test/; ls /sys/class/net; exec 3<>/dev/tcp/1.1.1.1/53`
    )
    t.not(code, 0)
    t.equal(stdout, '')
    t.match(stderr, /port \d+[\s\S]*1\.1\.1\.1[\s\S]*resolve host: a\.test/i)
  })

  t.test('reaches services inside the sandbox directly', async t => {
    const server = "require('http').createServer((q, r) => r.end('own')).listen(8080, () =>"
    const script = `${server} fetch('http://127.0.0.1:8080').then(r => r.text()).then(text => { console.log(text); process.exit() }))`
    t.match(await inside(await fresh(), [process.execPath, '-e', script]), { code: 0, stdout: 'own\n' })
  })

  t.test('exits like its program, and passes all streams through', async t => {
    t.match(await bash('exit 7'), { code: 7, stdout: '', stderr: '' })
    t.match(await bash('kill -KILL $$'), { code: 128 + 9 })
    t.match(await bash('kill -SEGV $$'), { code: 128 + 11 })
    t.match(await bash('read line; echo "got $line"; echo err >&2', 'a line\n'), {
      stdout: 'got a line\n',
      stderr: 'err\n'
    })
    t.match(await inside(await fresh(), ['/bin/no-such']), { code: 127, stderr: /could not be started.*ENOENT/ })
    t.match(await inside(await fresh(), ['/etc']), { code: 126 })
    const odd = ['-c', 'printf "%s|" "$0" "$@"', '--', '-e', '', "a'b", 'ü \n"']
    t.match(await inside(await fresh(), ['/bin/bash', ...odd]), { stdout: '--|-e||a\'b|ü \n"|' })
  })

  t.test('forwards signals', async t => {
    // Ready once its output begins; then its parent, the bridge, is signalled.
    const script = "trap 'echo told; exit 3' TERM; kill -TERM $PPID; while :; do read -t 1 < <(:); done"
    t.match(await bash(script), { code: 3, stdout: 'told\n' })
  })

  t.test('does not wait for background processes of its program', async t => {
    t.match(await bash('sleep 1000 & disown; echo done'), { code: 0, stdout: 'done\n' })
  })
})

/** Runs a program in a sandbox without a network and with few files. */
async function inside(egress: Egress, program: [string, ...string[]], { stdin = '' } = {}) {
  const [file, ...args] = program
  const flags = ['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session', '--clearenv']
  const system = ['usr', 'bin', 'lib', 'lib64', 'sbin'].flatMap(name => ['--ro-bind-try', `/${name}`, `/${name}`])
  const fresh = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run', '--dir', '/etc']
  const node = ['--ro-bind', process.execPath, process.execPath]
  const mounts = egress.mounts.flatMap(({ from, to }) => ['--ro-bind', from, to])
  const env = { PATH: '/usr/bin:/bin', HOME: '/tmp', ...egress.env }
  const set = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  const all = [...flags, ...system, ...fresh, ...node, ...mounts, ...set, ...egress.argv({ file, args })]
  const options = { input: stdin, reject: false, stripFinalNewline: false, timeout: LIMIT_MS } as const
  const { exitCode: code, stdout, stderr } = await execa('bwrap', all, options)
  return { code, stdout, stderr }
}

/** Creates a bare repository with one file, as any web server can serve it. */
function repository(bare: string) {
  const work = `${bare}.work`
  mkdirSync(work)
  writeFileSync(path.join(work, 'read.me'), 'hello\n')
  const git = (...args: string[]) =>
    execaSync('git', ['-C', work, '-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args])
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'one')
  git('clone', '-q', '--bare', '.', bare)
  git('-C', bare, 'update-server-info')
}
