// Runs lines in a real bash with only recorders on its PATH, in a sandbox that holds nothing else.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what stands in braces is for bash
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'

/**
 * Runs lines with programs that record their arguments, in a folder with these files. Returns the commands that bash started for
 * each line.
 */
export function createRecorders(
  t: Test,
  { programs, files }: { programs: readonly string[]; files: readonly string[] }
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeRecorders(folder, programs, files)
  return (texts: readonly string[]) => runLines(folder, texts)
}

function writeRecorders(folder: string, programs: readonly string[], files: readonly string[]) {
  mkdirSync(path.join(folder, 'recorders'))
  // Each process writes a separate file, so that those of a pipeline do not mix.
  const recorder = '#!/bin/sh\nprintf \'%s\\0\' "${0##*/}" "$@" > "/out/$LINE.$$"\n'
  for (const name of new Set(programs)) writeFileSync(path.join(folder, 'recorders', name), recorder, { mode: 0o755 })
  const builtins = programs.filter(name => ['echo', 'printf', 'true', 'pwd', 'test', '['].includes(name))
  writeFileSync(
    path.join(folder, 'environment'),
    `enable -n ${[...new Set(builtins)].map(name => `'${name}'`).join(' ')}\n`
  )
  writeFileSync(path.join(folder, 'files'), files.map(name => `${name}\n`).join(''))
  writeFileSync(
    path.join(folder, 'all'),
    'cd /work; while IFS= read -r file; do echo >"./$file"; done </files; for file in /lines/*; do\n' +
      '  LINE=${file##*/} BASH_ENV=/environment PATH=/recorders /usr/bin/timeout 120 /bin/bash -c "$(<"$file")" </dev/null >/dev/null 2>&1\n' +
      'done\nexit 0\n'
  )
}

/** Returns the commands that bash started for each line. */
function runLines(folder: string, texts: readonly string[]) {
  for (const name of ['lines', 'out']) {
    rmSync(path.join(folder, name), { recursive: true, force: true })
    mkdirSync(path.join(folder, name))
  }
  for (const [at, text] of texts.entries()) writeFileSync(path.join(folder, 'lines', `${at}`), text)
  const system = ['/usr', '/bin', '/lib', '/lib64'].flatMap(each => ['--ro-bind-try', each, each])
  const ours = ['recorders', 'environment', 'files', 'all', 'lines'].flatMap(name => [
    '--ro-bind',
    path.join(folder, name),
    `/${name}`
  ])
  const kept = [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/work'
  ]
  execaSync('bwrap', [...kept, ...system, ...ours, '--bind', path.join(folder, 'out'), '/out', '/bin/bash', '/all'], {
    stdio: 'ignore'
  })
  const started = new Map<number, string[]>()
  for (const name of readdirSync(path.join(folder, 'out'))) {
    const at = Number(name.split('.')[0])
    const argv = readFileSync(path.join(folder, 'out', name), 'utf8')
      .split('\0')
      .slice(0, -1)
    started.set(at, [...(started.get(at) ?? []), JSON.stringify(argv)])
  }
  return started
}
