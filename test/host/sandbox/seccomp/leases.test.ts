// Tests of file leases and locks: a program in a sandbox cannot make other programs wait for a file by a lease, nor watch folders by
// signals; locks work, since programs use them for their temporary files.
// tier: full
import t from 'tap'
import { defaultSettings } from '../../../../src/config/merge.ts'
import { startApp } from '../../../start-app.ts'
import { needs } from '../../../support/needs.ts'
import { BACKENDS } from '../backends.ts'
import { startSandboxFixture } from '../fixture.ts'

const [F_SETLEASE, F_NOTIFY, F_SETDELEG] = [1024, 1026, 1040]

const ATTEMPTS = `
import ctypes, errno, fcntl, json, os, tempfile
libc = ctypes.CDLL(None, use_errno=True)
def tried(act):
    try:
        act()
        return 'done'
    except OSError as error:
        return errno.errorcode[error.errno]
def raw(fd, command, value):
    if libc.syscall(ctypes.c_long({'x86_64': 72}.get(os.uname().machine, 25)), fd, ctypes.c_ulong(command), value) < 0:
        raise OSError(ctypes.get_errno(), '')
file = os.open('a.txt', os.O_RDONLY)
folder = os.open('.', os.O_RDONLY)
temporary = open(tempfile.gettempdir() + '/lock', 'w')
print(json.dumps({
    'write lease': tried(lambda: fcntl.fcntl(file, ${F_SETLEASE}, fcntl.F_WRLCK)),
    'read lease': tried(lambda: fcntl.fcntl(file, ${F_SETLEASE}, fcntl.F_RDLCK)),
    'lease on a temporary file': tried(lambda: fcntl.fcntl(temporary, ${F_SETLEASE}, fcntl.F_WRLCK)),
    'command with an upper half': tried(lambda: raw(file, 0x7fffffff00000000 | ${F_SETLEASE}, fcntl.F_WRLCK)),
    'notification': tried(lambda: fcntl.fcntl(folder, ${F_NOTIFY}, 0x3f)),
    'delegation': tried(lambda: fcntl.fcntl(folder, ${F_SETDELEG}, b'\\0' * 8)),
    'flock': tried(lambda: fcntl.flock(temporary, fcntl.LOCK_EX)),
    'record lock': tried(lambda: fcntl.lockf(temporary, fcntl.LOCK_EX))
}))
`
const OUTCOMES = {
  'write lease': 'EPERM',
  'read lease': 'EPERM',
  'lease on a temporary file': 'EPERM',
  'command with an upper half': 'EPERM',
  notification: 'EPERM',
  delegation: 'EPERM',
  flock: 'done',
  'record lock': 'done'
}

for (const { name, part, levels, backends } of BACKENDS)
  for (const level of levels)
    t.test(`level ${level} with ${name}`, needs(part, 'python3', 'linux'), async t => {
      const world = await startSandboxFixture(t, {
        backends,
        ...(level === 'container' && { settings: () => ({ level }), variables: () => ({ container: 'oci' }) })
      })
      world.write('workspace/a.txt', 'a\n')
      const { stdout, stderr } = await world.python(ATTEMPTS, { level })
      t.strictSame(JSON.parse(stdout || '{}'), OUTCOMES, stderr)
    })

t.test('code that runs unasked cannot take a lease', needs('bwrap', 'python3'), async t => {
  const settings = { sandbox: defaultSettings().sandbox }
  const { call } = await startApp(t, { 'a.txt': 'a\n' }, { settings })
  const ran = await call('run_code', { language: 'python', code: ATTEMPTS })
  t.match(ran, { status: 'success', approved_by: { source: 'auto' } })
  t.strictSame(JSON.parse(ran.result.data.stdout), OUTCOMES, ran.result.data.output)
})
