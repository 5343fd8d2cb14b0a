// Tests of the launcher by itself: what it refuses, what it grants, and how it ends.
// tier: full
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { encodeGrants, type Grant, READ_AND_EXECUTE } from '../../../../src/host/sandbox/landlock/grants.ts'
import { LANDLOCK_READ_ONLY_SYSCALLS } from '../../../../src/host/sandbox/seccomp/landlock-calls.ts'
import { buildFilter } from '../../../../src/host/sandbox/seccomp/seccomp.ts'
import { buildLauncher } from '../../../support/launcher.ts'
import { needs } from '../../../support/needs.ts'
import { needsReach, ORDINARY_ID } from '../../../support/other-user.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { once, waitUntil, within } from '../../../support/wait.ts'
import { findProcesses } from '../fixture.ts'

const SYSTEM: readonly Grant[] = [
  ...['/usr', '/lib', '/lib64', '/bin'].map(folder => ({ modes: READ_AND_EXECUTE, path: folder })),
  { modes: 'rl', path: '/etc/ld.so.cache' },
  { modes: 'rw', path: '/dev/null' }
]
const SETUP_FAILED = 125

function prepare(t: Test) {
  // Beside the checkout, which may lie in a home that other users cannot enter.
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'launcher-')))
  t.teardown(() => removeFolder(folder))
  chmodSync(folder, 0o755)
  for (const name of ['granted', 'other']) {
    mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, name, 'file'), name)
  }
  const launcher = path.join(folder, 'toolgate-confine')
  copyFileSync(buildLauncher(), launcher)
  const at = (name: string) => path.join(folder, name)
  writeFileSync(at('filter'), buildFilter(process.arch, LANDLOCK_READ_ONLY_SYSCALLS)!)
  const argumentsFor = (program: readonly string[], policy: string | Buffer, options: readonly string[] = []) => {
    writeFileSync(at('policy'), policy)
    return ['--policy', at('policy'), '--filter', at('filter'), ...options, '--', ...program]
  }
  const grant = (modes: string, name: string, identity?: string): Grant => ({
    modes,
    path: at(name),
    ...(identity !== undefined && { identity })
  })
  const run = (command: string, grants: readonly Grant[] = [grant('rl', 'granted')], options: readonly string[] = []) =>
    start(argumentsFor(['/bin/bash', '--norc', '-c', command], encodeGrants([...SYSTEM, ...grants]), options))
  const start = (args: readonly string[], file = launcher): SpawnSyncReturns<string> =>
    spawnSync(file, args, { encoding: 'utf8', cwd: '/', env: { PATH: '/usr/bin:/bin' } })
  return { folder, launcher, at, grant, run, start, argumentsFor }
}

/** Returns the report that was appended to a policy. */
const readReport = (policy: string) => readFileSync(policy, 'utf8').split('\0').at(-1)!

const identityOf = (file: string) => {
  const { dev, ino } = statSync(file, { bigint: true })
  return `${dev}:${ino}`
}

t.test('the launcher', needs('landlock'), async t => {
  t.test('reports what the kernel offers, and what it has granted', async t => {
    const { start, launcher, run, at } = prepare(t)
    const { abi, ...offers } = JSON.parse(start(['--report-abi'], launcher).stdout)
    t.match(offers, { min_abi: 6, files: true, truncate: true, tcp: true, signals: true, filter: true, reason: '' })
    t.match(run('cat /dev/null'), { status: 0, stderr: '' })
    t.strictSame(JSON.parse(readReport(at('policy'))), {
      abi,
      granted: SYSTEM.length - 2,
      missing: 0,
      changed: 3
    })
  })

  t.test('runs nothing unless everything is in place', async t => {
    const { start, argumentsFor, at } = prepare(t)
    const program = ['/bin/touch', at('ran')]
    const policy = encodeGrants([...SYSTEM, { modes: 'rlxwcd', path: at('') }])
    const cases: [name: string, args: string[], message: RegExp][] = [
      ['a policy that was cut off', argumentsFor(program, policy.slice(0, -1)), /the policy was cut off/],
      ['a policy without a path', argumentsFor(program, `${policy}rl\0\0`), /the policy was cut off/],
      ['an unknown mode', argumentsFor(program, `${policy}q\0\0/usr\0`), /invalid mode q/],
      ['a relative path', argumentsFor(program, `${policy}r\0\0usr\0`), /not absolute/],
      ['a missing policy', ['--policy', at('none'), ...argumentsFor(program, policy).slice(2)], /cannot open/],
      ['an unknown option', ['--more', 'x', ...argumentsFor(program, policy)], /unknown option --more/],
      ['an unknown limit', argumentsFor(program, policy, ['--limit', 'all=1']), /unknown limit all=1/],
      ['a limit without a number', argumentsFor(program, policy, ['--limit', 'core=x']), /invalid limit core=x/],
      ['a group that is not there', argumentsFor(program, policy, ['--cgroup', at('none')]), /cannot join/],
      ['no program', argumentsFor([], policy), /no program/]
    ]
    for (const [name, args, message] of cases) {
      writeFileSync(
        at('policy'),
        name.startsWith('a policy') || /mode|relative/.test(name) ? readPolicy(args, name) : policy
      )
      t.match(start(args), { status: SETUP_FAILED, stderr: message, stdout: '' }, name)
    }
    writeFileSync(at('policy'), policy)
    writeFileSync(at('filter'), Buffer.alloc(7))
    t.match(start(argumentsFor(program, policy)), { status: SETUP_FAILED, stderr: /is no filter/ }, 'a filter cut off')
    writeFileSync(at('filter'), Buffer.alloc(8))
    t.match(
      start(argumentsFor(program, policy)),
      { status: SETUP_FAILED, stderr: /cannot install/ },
      'an invalid filter'
    )
    t.notOk(existsSync(at('ran')), 'nothing was run')

    // The policies of the cases were overwritten by later ones.
    function readPolicy(args: readonly string[], name: string) {
      t.ok(args.length > 0)
      return {
        'a policy that was cut off': policy.slice(0, -1),
        'a policy without a path': `${policy}rl\0\0`,
        'an unknown mode': `${policy}q\0\0/usr\0`,
        'a relative path': `${policy}r\0\0usr\0`
      }[name]!
    }
  })

  t.test('a missing program, and one that cannot be executed', async t => {
    const { start, argumentsFor, at } = prepare(t)
    const policy = encodeGrants([...SYSTEM, { modes: 'rl', path: at('granted') }])
    t.match(start(argumentsFor([at('none')], policy)), { status: 127, stderr: /No such file/ })
    t.match(start(argumentsFor([at('granted/file')], policy)), { status: 126, stderr: /Permission denied/ })
  })

  t.test('grants what the policy names', async t => {
    const { run, at, grant } = prepare(t)
    t.match(run(`cat ${at('granted/file')}; cat ${at('other/file')}`), {
      stdout: 'granted',
      stderr: /Permission denied/
    })
    t.match(run(`echo new >${at('granted/file')}`), { status: 1 }, 'reading only')
    const all = [grant('rlwcdm', 'granted')]
    t.match(run(`cd ${at('granted')} && echo new >a && mv a b && cat b && rm b && ls`, all), { stdout: 'new\nfile\n' })
    const odd = 'other/new\nline \u00e9'
    mkdirSync(at(odd))
    writeFileSync(at(`${odd}/file`), 'odd')
    t.match(run(`cat "$1"/other/*/file`, [grant('rl', odd)]), { stdout: '' })
    t.match(run(`cat ${at('other')}/new*/file; cat ${at('other/file')}`, [grant('rl', odd), grant('l', 'other')]), {
      stdout: 'odd',
      stderr: /other\/file: Permission denied/
    })
  })

  t.test('grants an entry only while it is the one that was checked', async t => {
    const { run, at, grant } = prepare(t)
    const identity = identityOf(at('granted/file'))
    const read = () => run(`cat ${at('granted/file')}`, [grant('r', 'granted/file', identity)])
    t.match(read(), { stdout: 'granted' })
    renameSync(at('other/file'), at('granted/file'))
    t.match(read(), { stdout: '', stderr: /Permission denied/ })
    t.match(JSON.parse(readReport(at('policy'))), { changed: 4 })
  })

  t.test('a file replaced, and one created, while it runs stay out of reach', async t => {
    const { launcher, at, grant, argumentsFor } = prepare(t)
    const script = `cat ${at('granted/file')}; read; cat ${at('granted/file')}; cat ${at('granted/created')}`
    const grants = [...SYSTEM, grant('l', 'granted'), grant('r', 'granted/file')]
    const child = spawn(launcher, argumentsFor(['/bin/bash', '--norc', '-c', script], encodeGrants(grants)), {
      cwd: '/',
      env: {}
    })
    let output = ''
    child.stdout.on('data', data => (output += data))
    child.stderr.on('data', data => (output += data))
    await waitUntil('the file to be read', () => output.includes('granted'))
    renameSync(at('other/file'), at('granted/file'))
    writeFileSync(at('granted/created'), 'created')
    child.stdin.end('\n')
    await once(child, 'close')
    t.equal(output.match(/Permission denied/g)?.length, 2)
    t.notMatch(output, /other$|created$/)
  })

  t.test('standard streams can be opened again; other descriptors are closed', async t => {
    const { launcher, argumentsFor, at } = prepare(t)
    const [output, secret] = [openSync(at('output'), 'a'), openSync(at('other/file'), 'r')]
    const script =
      'echo out >>/dev/stdout; echo err >>/dev/stderr; cat <&7; cat /proc/self/fd/7; exec 8</proc/$$/status && head -1 <&8'
    const child = spawn(launcher, argumentsFor(['/bin/bash', '--norc', '-c', script], encodeGrants(SYSTEM)), {
      cwd: '/',
      env: {},
      stdio: ['ignore', output, output, 'ignore', 'ignore', 'ignore', 'ignore', secret]
    })
    await once(child, 'exit')
    t.match(
      readFileSync(at('output'), 'utf8'),
      /out\nerr\n(?:.|\n)*Bad file descriptor(?:.|\n)*No such file(?:.|\n)*Name:\tbash\n$/
    )
    t.notMatch(readFileSync(at('output'), 'utf8'), 'other')
  })

  t.test('sets limits', async t => {
    const limits = ['--limit', 'nofile=50', '--limit', 'core=0', '--limit', 'fsize=1048576', '--limit', 'cpu=100']
    t.match(prepare(t).run('ulimit -n -c -f -t | sed "s/.* //"', undefined, limits), { stdout: '50\n0\n1024\n100\n' })
  })

  t.test('ends all that the program leaves behind', async t => {
    const { run } = prepare(t)
    const mark = `54321.${process.pid}`
    const leave = `(env -i setsid sleep ${mark} &) ; (setsid setsid nohup sleep ${mark} >/dev/null 2>&1 &); sleep ${mark} & exit 3`
    t.match(run(leave), { status: 3 })
    t.strictSame(findProcesses(mark), [])
  })

  t.test('ends the program by a signal, with its exit code', async t => {
    const { launcher, argumentsFor } = prepare(t)
    const start = (script: string) => {
      const child = spawn(launcher, argumentsFor(['/bin/bash', '--norc', '-c', script], encodeGrants(SYSTEM)), {
        cwd: '/',
        env: {}
      })
      const began = once(child.stdout, 'data')
      return { child, began, ended: once(child, 'exit') }
    }
    const mark = `65432.${process.pid}`
    const caught = start('trap "exit 7" TERM; echo began; while true; do sleep 0.01; done')
    await caught.began
    caught.child.kill('SIGTERM')
    t.strictSame((await within('its end', caught.ended))[0], 7, 'passed on')
    const stubborn = start(
      `trap "" TERM QUIT; echo began; env -i setsid sleep ${mark} & while true; do sleep 0.01; done`
    )
    await stubborn.began
    await waitUntil('the child to run', () => findProcesses(mark).length > 0)
    stubborn.child.kill('SIGQUIT')
    t.strictSame((await within('its end', stubborn.ended))[0], 137, 'killed')
    await waitUntil('the child to end', () => findProcesses(mark).length === 0)
  })

  t.test('ends with its starter', async t => {
    const { launcher, argumentsFor } = prepare(t)
    const mark = `76543.${process.pid}`
    const args = argumentsFor(
      ['/bin/bash', '--norc', '-c', `env -i setsid sleep ${mark} & sleep ${mark}`],
      encodeGrants(SYSTEM)
    )
    const starter = spawn('/bin/bash', ['-c', '"$@" & wait', 'bash', launcher, ...args], { stdio: 'ignore' })
    await waitUntil('both to run', () => findProcesses(mark).length >= 2)
    starter.kill('SIGKILL')
    await waitUntil('both to end', () => findProcesses(mark).length === 0)
  })

  t.test('works for an ordinary user', { ...needsReach(), ...needs('root') }, async t => {
    const { launcher, argumentsFor, at, grant, start } = prepare(t)
    for (const name of ['', 'granted', 'other']) chmodSync(at(name), 0o777)
    const script = `id -u; cat ${at('granted/file')}; cat ${at('other/file')}; kill -0 ${process.ppid}; grep -E "CapEff|NoNewPrivs" /proc/$$/status`
    const args = argumentsFor(
      ['/bin/bash', '--norc', '-c', `exec 9</proc/self/status; ${script}`],
      encodeGrants([...SYSTEM, grant('rl', 'granted')])
    )
    const user = [`--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, '--clear-groups', '--', launcher, ...args]
    chmodSync(at('filter'), 0o644)
    chmodSync(at('policy'), 0o666)
    t.match(start(user, '/usr/bin/setpriv'), {
      stdout: /^65534\ngranted/,
      stderr: /other\/file: Permission denied(?:.|\n)*(Operation not permitted|Permission denied)/
    })
  })
})
