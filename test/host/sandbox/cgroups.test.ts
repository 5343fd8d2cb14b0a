// Tests of control group cleanup at start. Folders simulate groups: only their location and name matter.
// tier: quick
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isStaleCgroup, newCgroupName } from '../../../src/host/processes/cgroup-names.ts'
import { canUseCgroups, createSpawnerCgroup } from '../../../src/host/processes/spawner/spawner-cgroup.ts'
import { Cgroups } from '../../../src/host/sandbox/cgroups.ts'
import { unsandboxedState } from '../../../src/host/sandbox/unsandboxed.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

t.test('removes groups of killed servers, also beside our own group', needs('linux'), async t => {
  const top = makeTestFolder(t)
  const { pid: dead } = spawnSync('true')
  const ours = newCgroupName('toolgate')
  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]
  const chance = '0123456789abcdef'
  const left = ['own', 'earlier', 'other'].map(scope => `${scope}/toolgate-${namespace}-${dead}-1-${chance}`)
  // A later process has our pid, as in a restarted container.
  left.push(`own/toolgate-${namespace}-${process.pid}-1-${chance}`)
  const elsewhere = `own/toolgate-1-${dead}-1-${chance}`
  const kept = [`own/${ours}`, `earlier/${newCgroupName('toolgate')}`, 'other/theirs', elsewhere]
  for (const name of [...left, ...kept]) mkdirSync(path.join(top, name), { recursive: true })
  new Cgroups([path.join(top, 'own')], { memory_bytes: 1, processes: 1 }).sweep()
  const names = readdirSync(top).flatMap(scope => readdirSync(path.join(top, scope)).map(name => `${scope}/${name}`))
  t.same(names.toSorted(), kept.toSorted())
})

t.test('group names are unique, and only those of the same kind are compared', needs('linux'), async t => {
  t.not(newCgroupName('toolgate'), newCgroupName('toolgate'))
  const { pid: dead } = spawnSync('true')
  const gone = newCgroupName('toolgate-commands').replace(/-\d+-\d+-([0-9a-f]+)$/, `-${dead}-1-$1`)
  t.ok(isStaleCgroup('toolgate-commands', gone))
  t.notOk(isStaleCgroup('toolgate', gone))
})

const first = process.platform === 'linux' ? createSpawnerCgroup() : undefined
t.teardown(() => first?.remove())

t.test('places a second group beside the first', needs('cgroups'), async t => {
  const second = createSpawnerCgroup()
  t.teardown(() => second?.remove())
  t.ok(second)
  t.not(second!.folder, first!.folder)
  t.equal(path.dirname(second!.folder), path.dirname(first!.folder))
})

t.test('removing a group that its helper has removed waits for nothing', needs('cgroups'), async t => {
  const group = createSpawnerCgroup()!
  rmdirSync(group.folder)
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const destroyed = group.destroy()
  t.equal(timers(), before)
  await destroyed
})

t.test('reports support for starting in a group, and its probe leaves none', async t => {
  // Other servers create and remove groups concurrently.
  const isOurs = (name: string) => name.includes(`-${process.pid}-`)
  const names = () => (first ? readdirSync(path.dirname(first.folder)).filter(isOurs).toSorted() : [])
  const before = names()
  const works = await canUseCgroups()
  t.same(names(), before)
  if (!first) t.notOk(works)
  t.same((await unsandboxedState()).lacks?.length, works ? undefined : 1)
  t.equal(canUseCgroups(), canUseCgroups(), 'the probe runs once')
})
