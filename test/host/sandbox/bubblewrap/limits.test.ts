// Tests of resource limits of sandboxed commands. Limits unsupported on this machine are reported by the level, and not tested.
// tier: quick
import { existsSync, readdirSync } from 'node:fs'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { findProcesses, startSandboxFixture } from '../fixture.ts'

const MIB = 1 << 20
const LOW = { memory_bytes: 96 * MIB, processes: 40, cpu_seconds: 1, file_bytes: MIB, open_files: 64 }
const GROUPS = ['/sys/fs/cgroup', '/sys/fs/cgroup/memory', '/sys/fs/cgroup/pids'].filter(folder => existsSync(folder))

/** Returns the control groups of this process. */
const groups = () =>
  GROUPS.flatMap(folder => readdirSync(folder)).filter(name => name.startsWith(`toolgate-${process.pid}-`))

t.test('the limits', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t, { settings: () => LOW })
  const _lacks = (await world.sandbox.states()).find(({ level }) => level === 'workspace')?.lacks ?? []

  t.test('limits the size of a file', async t => {
    const { stdout } = await world.run('head -c 3000000 /dev/zero >big; wc -c <big')
    t.equal(stdout, `${MIB}\n`)
  })

  t.test('limits open files, and forbids core dumps', async t => {
    t.equal((await world.run('ulimit -n; ulimit -c')).stdout, '64\n0\n')
  })

  t.test('limits processor time', async t => {
    const { signal, exit_code } = await world.run('exec python3 -c "while True: pass"')
    t.equal(signal ?? exit_code, 137, 'killed inside, as the sandbox tells it')
  })

  t.test('limits memory, with that of child processes', needs('cgroups'), async t => {
    const result = await world.python('print(len(bytearray(512 << 20)))')
    t.equal(result.stdout, '')
    t.not(result.exit_code, 0)
    t.match(await world.run('echo still here'), { stdout: 'still here\n' })
  })

  t.test('temporary files count as memory', needs('cgroups'), async t => {
    const { stdout } = await world.python(`
try:
    for i in range(400):
        open(f'/tmp/{i}', 'wb').write(bytes(1 << 19))
    print('all')
except OSError:
    pass
`)
    t.equal(stdout, '')
  })

  t.test('limits processes', needs('cgroups'), async t => {
    const { stdout } = await world.python(`
import os, time
started = 0
try:
    while started < 1000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        started += 1
except OSError:
    pass
print(started < ${LOW.processes})
`)
    t.equal(stdout, 'True\n')
  })

  t.test('a fork bomb ends at its time limit', needs('cgroups'), async t => {
    const mark = `bomb-${process.pid}`
    const result = await world.run(`bomb() { bomb ${mark} | bomb ${mark} & }; bomb ${mark}; sleep 600`, {
      timeout_ms: 1_000
    })
    t.match(result, { timed_out: true })
    t.strictSame(findProcesses(mark), [])
  })

  t.test('limits the size of temporary folders', async t => {
    const { stdout } = await world.run('df -B1M --output=size,target /tmp /dev/shm /run ~ | tail -n +2')
    const sizes = stdout
      .trim()
      .split('\n')
      .map(line => Number(line.trim().split(/\s+/)[0]))
    t.strictSame(sizes, [1024, 256, 16, 256])
  })

  t.test('leaves no group', async t => {
    t.strictSame(groups(), [])
  })
})
