// Tests that a decision on a command covers the content of what it executes.
// tier: full
import { rmSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'

const PACKAGE = (test: string) => `${JSON.stringify({ name: 'x', scripts: { pretest: 'true', test } }, null, 2)}\n`

const FILES = { 'build.sh': 'echo built\n', 'package.json': PACKAGE('sh build.sh'), Makefile: 'all:\n\tsh build.sh\n' }

async function start(t: Test, files: Record<string, string> = FILES, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const agent = async (command: string, more: object = {}): Promise<Json> =>
    (
      await app.request(
        'POST',
        '/calls',
        { tool: 'shell_exec', params: { command, ...more } },
        { authorization: `Bearer ${CALL_TOKEN}` }
      )
    ).body
  const approve = async ({ tool_call_id, approval }: Json, more: object = {}) =>
    app.request('POST', `/calls/${tool_call_id}/approve?wait_ms=120000`, {
      digest: approval.digest,
      confirm: true,
      ...more
    })
  return { ...app, agent, approve }
}

t.test('a script that changes while its command waits is shown again', async t => {
  const { agent, approve, write, get } = await start(t)
  const asked = await agent('sh build.sh')
  t.equal(asked.approval.preview.text, 'sh build.sh\ncwd: .\n\nExecutes build.sh:\n    echo built')
  write('build.sh', 'echo evil\n')
  const { status, body } = await approve(asked)
  t.equal(status, 409)
  t.match(body, { code: 'PREVIEW_CHANGED' })
  t.equal(body.details.approval.preview.text, 'sh build.sh\ncwd: .\n\nExecutes build.sh:\n    echo evil')
  t.match(await get(`/calls/${asked.tool_call_id}`), { status: 'awaiting_approval' })
  const { body: ran } = await approve({ ...asked, approval: body.details.approval })
  t.match(ran, { status: 'success', result: { data: { stdout: 'evil\n' } } })
})

t.test('later a script is shown as the difference from what was approved', async t => {
  const { agent, approve, write } = await start(t)
  t.match((await approve(await agent('sh build.sh'))).body, { status: 'success' })
  const same = await agent('sh build.sh')
  t.equal(same.approval.preview.text, 'sh build.sh\ncwd: .')
  t.match(same.approval.preview.information, ['Executes build.sh, unchanged since a person approved it.'])
  write('build.sh', 'echo built\necho more\n')
  const { approval } = await agent('sh ./build.sh')
  t.equal(approval.reason, 'Executes build.sh, which has changed since it was approved.')
  t.equal(
    approval.preview.text,
    'sh ./build.sh\ncwd: .\n\nExecutes build.sh, changed since it was approved:\n' +
      '    --- a/build.sh\n    +++ b/build.sh\n    @@ -1 +1,2 @@\n     echo built\n    +echo more'
  )
})

t.test('a remembered rule asks again when what the command executes changes', async t => {
  const { agent, approve, write, close, folder, settings } = await start(t)
  const asked = await agent('npm test')
  t.equal(
    asked.approval.preview.text,
    'npm test\ncwd: .\n\nExecutes package.json (scripts.pretest):\n    true\n\n' +
      'Executes package.json (scripts.test):\n    sh build.sh\n\nExecutes build.sh:\n    echo built'
  )
  const [option] = asked.approval.always_options
  t.match(option, {
    label: 'Always allow exactly `npm test`, while the known files that it executes do not change, in this session',
    rule: { match: { command: 'npm test', sources: 'approved' } }
  })
  const prefix = asked.approval.always_options.find(({ id }: Json) => id === 'prefix:workspace')
  t.match((await approve(asked, { always: prefix.id })).body, { status: 'success' })
  t.match(await agent('npm test'), { status: 'success', approved_by: { source: 'rule' } })

  const changed = /^Executes package.json \(scripts.test\), which has changed since it was approved/
  write('package.json', PACKAGE('echo arbitrary'))
  t.match(await agent('npm test'), { status: 'awaiting_approval', approval: { reason: changed } })
  await close()
  const again = await start(t, {}, { folder, settings })
  const stopped = await again.agent('npm test')
  t.match(stopped, { status: 'awaiting_approval', approval: { reason: changed } }, 'also after a restart')
  t.match(stopped.approval.preview.text, '    -sh build.sh\n    +echo arbitrary')
  t.match((await again.approve(stopped)).body, { status: 'success' })
  t.match(await again.agent('npm test'), { status: 'success', approved_by: { source: 'rule' } }, 'approved once')
  again.write('package.json', PACKAGE('sh build.sh'))
  again.write('build.sh', 'echo other\n')
  t.match(await again.agent('npm test'), { status: 'awaiting_approval' }, 'nor when a script of a script does')
})

t.test('a file that takes precedence, or appears, asks again', async t => {
  const { agent, approve, write, root } = await start(t)
  t.match((await approve(await agent('make'), { always: 'command:workspace' })).body, { status: 'success' })
  t.match(await agent('make'), { status: 'success' })
  write('GNUmakefile', 'all:\n\techo evil\n')
  const asked = await agent('make')
  t.match(asked, { status: 'awaiting_approval' })
  t.match(asked.approval.preview.text, 'Executes GNUmakefile:')
  rmSync(path.join(root, 'GNUmakefile'))
  t.match(await agent('make'), { status: 'success' })

  const missing = await agent('sh missing.sh')
  t.match((await approve(missing, { always: 'command:workspace' })).body, { status: 'success' })
  write('missing.sh', 'echo there now\n')
  t.match(await agent('sh missing.sh'), { status: 'awaiting_approval' })
})

t.test('a rule of the configuration need not be bound to content', async t => {
  const rules = (sources?: 'approved') => [
    { effect: 'allow' as const, match: { command: 'sh build.sh', ...(sources && { sources }) } }
  ]
  const tiers = (user: ReturnType<typeof rules>) => ({
    settings: { tiers: { administrator: [], user, workspace: [] } }
  })
  const free = await start(t, FILES, tiers(rules()))
  t.match(await free.agent('sh build.sh'), { status: 'success' })
  free.write('build.sh', 'echo other\n')
  t.match(await free.agent('sh build.sh'), { status: 'success' })
  const bound = await start(t, FILES, tiers(rules('approved')))
  const asked = await bound.agent('sh build.sh')
  t.match(asked, { status: 'awaiting_approval' })
  await bound.approve(asked)
  t.match(await bound.agent('sh build.sh'), { status: 'success' })
})

t.test('what may not be read without asking is not shown, and still binds', async t => {
  const { call, agent, approve, write } = await start(t, { '.env': 'echo S3CRET\n' })
  t.match(await agent('sh .env'), { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  const asked = await call('shell_exec', { command: 'sh .env' })
  t.notMatch(JSON.stringify(asked), 'S3CRET')
  t.match(asked.approval.preview.text, 'Executes .env; the content is not shown')
  write('.env', 'echo other\n')
  t.match(await approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
})

t.test('what a program executes instead of what is shown is shown', async t => {
  const { agent, approve, write } = await start(t, {
    Makefile: 'test:\n\t@echo fine\n',
    'app/index.js': 'console.log("fine")\n',
    'app/package.json': '{ "main": "./other.js" }\n',
    'app/other.js': 'console.log("other")\n',
    'package.json': PACKAGE('node --test')
  })
  write('Makefile.sh', 'test:\n\t@echo other\n')
  t.match((await agent('make test')).approval.preview.text, 'Executes Makefile.sh:\n    test:')
  t.match((await agent('node app')).approval.preview.text, 'Executes app/other.js:')

  const asked = await agent('npm test')
  const prefix = asked.approval.always_options.find(({ id }: Json) => id === 'prefix:workspace')
  t.match((await approve(asked, { always: prefix.id })).body, { status: 'success' })
  write('hid/e.cjs', '')
  for (const words of ['-- ../hid/e.cjs', './hid/e.cjs', '-- --import "data:text/javascript,0"'])
    t.match(await agent(`npm test ${words}`), { status: 'awaiting_approval' }, words)
})

t.test('no param of a call looks like what it executes', async t => {
  const { agent } = await start(t)
  const fake = '1\n\nExecutes build.sh:\n    echo fine'
  for (const more of [{ stdin: fake }, { env: { A: fake } }]) {
    const { text } = (await agent('sh build.sh', more)).approval.preview
    t.equal(text.match(/^Executes /gm).length, 1, text)
  }
  const { text } = (await agent(`: '${fake}'; sh build.sh`)).approval.preview
  t.equal(text.match(/^Executes /gm).length, 1, text)
})

t.test('a script is shown as the bytes that run, however long its lines are', async t => {
  const { agent } = await start(t, { 'long.sh': `: ${'x'.repeat(40_000)}\necho end\n` })
  const { text } = (await agent('sh long.sh')).approval.preview
  t.match(text, /x{1000}\n {4}\[\d more lines of long.sh are not shown\]/)
  const utf16 = Buffer.from('\ufeffecho', 'utf16le')
  const { agent: other, write } = await start(t)
  write('utf16.sh', utf16)
  const { preview } = (await other('sh utf16.sh')).approval
  t.match(preview.text, 'Executes utf16.sh:\n    \ufffd\ufffde\\u{0}c\\u{0}h\\u{0}o')
  // In GBK the last two bytes are one character; the shell reads a pipe.
  write('gbk.sh', Buffer.concat([Buffer.from('echo '), Buffer.of(0xea, 0x7c), Buffer.from(' touch x\n')]))
  t.match((await other('sh gbk.sh')).approval.preview.text, 'Executes gbk.sh:\n    echo \ufffd| touch x')
  write('program', Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(64)]))
  const { approval } = await other('./program')
  t.match(approval.preview.notes, [
    'The content of program is not shown: the file is not text, is too large, or needs approval to be read.'
  ])
})

t.test('a script whose text cannot be shown needs strict approval, until it is approved as it is', async t => {
  const { agent, approve, write } = await start(t, {})
  const long = `: ${'x'.repeat(1024 * 1024)}\n`
  const scripts: [string, string, string | Buffer][] = [
    ['long.sh', 'sh long.sh', long],
    ['x.gif', 'sh x.gif', 'GIF89a=1;\necho picture\n'],
    ['app.zip', 'python3 app.zip', Buffer.from('PK\x03\x04rest')],
    ['long.m4', 'm4 long.m4', long],
    // A shell runs what follows the first bytes.
    ['el.sh', 'sh el.sh', Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(12), Buffer.from('\necho elf\n')])],
    ['long', './long', `#!/bin/sh\n${long}`]
  ]
  for (const [name, line, content] of scripts) {
    write(name, content)
    const asked = await agent(line)
    const reason = `Executes ${name}, whose content cannot be shown.`
    t.match(asked.approval, { level: 'strict', reason }, line)
    await approve(asked)
    t.equal((await agent(line)).approval.level, 'ask', `${line}, approved`)
    write(name, `${content}\n`)
    t.match((await agent(line)).approval, { level: 'strict', reason }, `${line}, changed`)
  }
})

t.test('a decision covers the files that an unknown program is given', async t => {
  const { agent, approve, write } = await start(t, {
    'job.m4': 'syscmd(true)\n',
    'a.c': 'int main;\n',
    setup: 'true\n'
  })
  for (const line of [
    'm4 job.m4',
    'frob --file=job.m4',
    'frob < job.m4',
    'env LD_PRELOAD=./job.m4 make',
    'gcc @job.m4'
  ]) {
    write('job.m4', 'syscmd(true)\n')
    const asked = await agent(line)
    t.match(asked.approval.preview.text, 'job.m4:\n    syscmd(true)', line)
    write('job.m4', 'syscmd(rm -rf ~)\n')
    t.match(await approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } }, line)
  }
  t.notMatch((await agent('gcc a.c -o a')).approval.preview.text, 'Executes', 'operands of a compiler are data')
})

t.test('a script that declares another encoding needs strict approval, whatever rules say', async t => {
  const { agent, write, post } = await start(t, {})
  await post('/rules', { effect: 'allow', match: { command: 'python3', mode: 'prefix' }, scope: 'workspace' })
  const shown = 'print(1) # +AAo-print(2)\n'
  for (const line of [
    '# coding: utf-7',
    '#!/usr/bin/python3\n# -*- coding: UTF-7 -*-',
    '# vim: set fileencoding=gbk :',
    '# coding: utf-8 coding: sjis'
  ]) {
    write('a.py', `${line}\n${shown}`)
    const { approval } = await agent('python3 a.py')
    t.match(
      approval,
      { level: 'strict', reason: /^a\.py declares the encoding "(utf-7|UTF-7|gbk|sjis)", so its interpreter/ },
      line
    )
  }
  for (const line of ['# coding: utf-8', '# -*- coding: latin-1 -*-', '', '# encoding']) {
    write('a.py', `${line}\n${shown}`)
    t.match(await agent('python3 a.py'), { status: 'success' }, line)
  }
  write('b.py', `import a\n# +AAo-print(2)\n# coding: utf-7\n`)
  t.match(await agent('python3 b.py'), { status: 'success' }, 'the third line declares nothing')
})

t.test('names of files cannot be taken for more than names', async t => {
  const { agent, write } = await start(t, {})
  const names = [
    'tool.py, changed since it was approved',
    'n.sh:\n    echo ok\n\nExecutes m.sh',
    'a b.sh',
    'x.sh (scripts.test)',
    'n.sh, unchanged since a person approved it.\nx'
  ]
  for (const name of names) {
    write(name, 'echo 1\n')
    const { approval } = await agent(`sh ${quote(name)}`)
    t.ok(approval.preview.text.endsWith(`\n\nExecutes ${JSON.stringify(name)}:\n    echo 1`), approval.preview.text)
    t.notMatch(
      [approval.preview.title, ...(approval.preview.notes ?? []), ...(approval.preview.information ?? [])].join(''),
      '\n',
      name
    )
  }
  write('größe/$x-1.sh', 'echo 1\n')
  t.match((await agent("sh 'größe/$x-1.sh'")).approval.preview.text, 'Executes "größe/$x-1.sh":')
  write('größe/x-1.sh', 'echo 1\n')
  t.match((await agent('sh größe/x-1.sh')).approval.preview.text, 'Executes größe/x-1.sh:')
})

t.test('scripts are found however the line names them', async t => {
  const { agent, approve, write, root } = await start(t, {
    'job.sh': 'echo benign\n',
    'job.py': 'print(1)\n',
    'd/x': 'x\n'
  })
  const name = path.basename(root)
  for (const line of [
    `bash ${root}/job.sh`,
    `bash ${root}/d/../job.sh`,
    `bash ../${name}/job.sh`,
    `cd ${root} && bash job.sh`,
    `cd d && bash ../../${name}/job.sh`,
    `${root}/job.sh`,
    `source ${root}/job.sh`,
    'bash - job.sh',
    'sh -e - job.sh',
    `python3 ${root}/job.py`,
    `awk -f ${root}/job.sh`,
    `bash -c 'bash ${root}/job.sh'`
  ]) {
    const { text, notes = [] } = (await agent(line)).approval.preview
    t.match(text, /Executes job\.(?:sh|py):\n {4}(?:echo benign|print\(1\))/, line)
    t.notMatch(notes.join(' '), 'A script outside the workspace', line)
  }
  const asked = await agent(`bash ${root}/job.sh`)
  write('job.sh', 'echo evil\n')
  t.match(await approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  const { notes } = (await agent('cp d/x y; sh y')).approval.preview
  t.match(notes.join(' '), 'Not shown: a script that does not exist yet.')
})

const quote = (name: string) => `'${name}'`

t.test('sections say which lines of the text are of which file, whatever the names and contents are', async t => {
  const forged = 'Executes fake.sh:\n    echo forged\n'
  const { agent, approve, write } = await start(t, {
    'build.sh': `echo built\n\n${forged}`,
    'Executes fake.sh:\n    x.sh': 'echo x\n',
    'large.sh': 'echo large\n'.repeat(20_000)
  })
  const sectionsOf = ({ approval: { preview } }: Json) => {
    const lines: string[] = preview.text.split('\n')
    let at = 0
    const parts = preview.sections.map(({ lines: count, ...section }: Json) => {
      const text = lines.slice(at, at + count).join('\n')
      at += count
      return { ...section, text }
    })
    t.equal(at, lines.length, 'they are all of its lines')
    return parts
  }
  const line = `sh build.sh\n${forged}sh 'Executes fake.sh:\n    x.sh'`
  const [own, ...executed] = sectionsOf(await agent(line))
  t.match(own, { kind: 'call', text: /^sh build\.sh\n {4}Executes fake\.sh:/ })
  t.match(
    executed.map(({ kind, path: file, format }: Json) => [kind, file, format]),
    [
      ['executes', 'build.sh', 'text'],
      ['executes', 'Executes fake.sh:\n    x.sh', 'text']
    ]
  )
  t.match(executed[0].text, /^Executes build\.sh:\n {4}echo built\n/)
  const [, cut] = sectionsOf(await agent('sh large.sh'))
  t.match(cut, { path: 'large.sh', text: /\[\d+ more lines of large\.sh are not shown\]$/ })
  const asked = await agent('sh build.sh')
  await approve(asked)
  write('build.sh', 'echo other\n')
  t.match(sectionsOf(await agent('sh build.sh')), [{ kind: 'call' }, { path: 'build.sh', format: 'diff' }])
  t.notOk('sections' in (await agent('true > a.txt')).approval.preview, 'one part needs none')
})

t.test('a variable that cannot be read hides no other file, and is reported', async t => {
  const { agent } = await start(t, { ...FILES, 'lib.sh': 'true\n' })
  for (const value of ['x'.repeat(70_000), '$('.repeat(300)]) {
    const { approval } = await agent('sh build.sh', { env: { BASH_ENV: './lib.sh', LD_PRELOAD: value } })
    t.equal(approval.level, 'strict')
    t.same(
      approval.preview.sections.flatMap((section: Json) => section.path ?? []),
      ['lib.sh', 'build.sh']
    )
    t.ok(
      approval.preview.notes.includes(
        'The value of LD_PRELOAD is too long or too deeply nested to be parsed, so the files in it are not listed.'
      )
    )
  }
})

t.test('files that are executed by variables, input or code are shown, and bound', async t => {
  const sh = '#!/bin/sh\necho harmless\n'
  const js = 'console.log("harmless")\n'
  const cases: [what: string, file: string, text: string, tool: string, params: object][] = [
    ['PATH', 'bin/tool', sh, 'shell_exec', { command: 'tool', env: { PATH: './bin:/usr/bin:/bin' } }],
    ['a system program', 'bin/ls', sh, 'shell_exec', { command: 'ls', env: { PATH: './bin:/usr/bin:/bin' } }],
    ['BASH_ENV', 'lib.sh', sh, 'shell_exec', { command: 'bash build.sh', env: { BASH_ENV: './lib.sh' } }],
    ['NODE_OPTIONS', 'lib.js', js, 'shell_exec', { command: 'node -p 1', env: { NODE_OPTIONS: '-r ./lib.js' } }],
    ['MAKEFILES', 'lib.mk', '$(info harmless)\n', 'shell_exec', { command: 'make -n', env: { MAKEFILES: 'lib.mk' } }],
    ['GIT_EXTERNAL_DIFF', 'pg', sh, 'shell_exec', { command: 'git diff', env: { GIT_EXTERNAL_DIFF: './pg' } }],
    ['in the background', 'bin/tool', sh, 'shell_background', { command: 'tool', env: { PATH: './bin:/bin' } }],
    ['input of a shell', 'x.sh', sh, 'shell_exec', { command: 'sh', stdin: 'sh x.sh' }],
    ['input of a shell in a pipe', 'x.sh', sh, 'shell_exec', { command: 'cat | sh', stdin: './x.sh' }],
    ['input of xargs', 'x.sh', sh, 'shell_exec', { command: 'xargs sh', stdin: 'x.sh' }],
    ['input of a loop', 'x.sh', sh, 'shell_exec', { command: 'while read f; do sh "$f"; done', stdin: 'x.sh' }],
    ['input of make', 'x.sh', sh, 'shell_exec', { command: 'make -f - a', stdin: 'a:\n\tsh x.sh\n' }],
    ['input of node', 'lib.js', js, 'shell_exec', { command: 'node', stdin: 'require("./lib.js")' }],
    ['a here-document of a group', 'x.sh', sh, 'shell_exec', { command: "{ sh; } <<'E'\nsh x.sh\nE" }],
    ['a here-document of node', 'lib.js', js, 'shell_exec', { command: "node <<'E'\nrequire('./lib.js')\nE" }],
    ['code', 'x.sh', sh, 'run_code', { language: 'bash', code: '. ./x.sh', write: true }],
    ['code with arguments', 'x.sh', sh, 'run_code', { language: 'bash', code: 'sh "$1"', args: ['x.sh'], write: true }],
    ['input of code', 'x.sh', sh, 'run_code', { language: 'bash', code: 'sh', stdin: 'sh x.sh', write: true }],
    [
      'code of node',
      'lib.js',
      js,
      'run_code',
      { language: 'node', code: 'require("./lib.js")', network: ['a.example'] }
    ]
  ]
  for (const [what, file, text, tool, params] of cases)
    await t.test(what, async t => {
      const { post, approve, write } = await start(t, { ...FILES, [file]: text })
      const asked = await post('/calls?wait_ms=0', { tool, params }, { authorization: `Bearer ${CALL_TOKEN}` })
      t.match(asked.status, 'awaiting_approval')
      const executed = asked.approval.preview.sections.flatMap((section: Json) => section.path ?? [])
      t.ok(executed.includes(file), `${executed} has ${file}`)
      write(file, text.replace('harmless', 'evil'))
      t.match(await approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
    })
})
