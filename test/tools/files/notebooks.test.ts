// Tests of edits of notebooks by a real server: of text that is quoted as reads show it, and of whole cells. Whole files are compared, so
// that nothing but the change differs.
// tier: full
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Json, startApp, type TestApp, toApproval } from '../../start-app.ts'

const NOTEBOOK = {
  cells: [
    { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'words'] },
    {
      cell_type: 'code',
      execution_count: 3,
      id: 'sum',
      metadata: { scrolled: true },
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['x = 1\n'] }],
      source: ['x = 1\n', 'print("x", x)\n', '\n', 'def f():\n', '    return "é"']
    }
  ],
  metadata: { ratio: 1 },
  nbformat: 4,
  nbformat_minor: 5
}
const print = (value: unknown, indent: number | string = 1) => `${JSON.stringify(value, null, indent)}\n`
/** As Jupyter writes it, with a number that parsing would change. */
const TEXT = print(NOTEBOOK).replace('"ratio": 1', '"ratio": 1.0e+2')
const notebook = (cells: unknown[], minor = 4) => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: minor })
const code = (source: unknown, more: object = {}) => ({ cell_type: 'code', metadata: {}, outputs: [], ...more, source })

/** Makes a call and approves what it shows, if it asks. */
async function done(app: TestApp, tool: string, params: object): Promise<Json> {
  const call = await app.call(tool, { path: 'a.ipynb', ...params })
  return call.status === 'awaiting_approval' ? app.post('/approve?wait_ms=120000', toApproval(call)) : call
}

const outcomeOf = ({ status, error }: Json): string => (status === 'error' ? `${error.code}: ${error.message}` : status)

interface Row {
  file: string
  encoding?: BufferEncoding
  params: object
  /** A part of the file, and what stands there after the change. */
  was: string
  now: string
}

/** Checks for each row that the file has the new part in place of the old one, and no other difference. */
async function checkRows(t: Test, tool: string, rows: Record<string, Row>) {
  const app = await startApp(t)
  for (const [name, { file, encoding = 'utf8', params, was, now }] of Object.entries(rows)) {
    app.write('a.ipynb', Buffer.from(file, encoding))
    t.equal(outcomeOf(await done(app, tool, params)), 'success', name)
    t.equal(file.split(was).length, 2, `${name}: the part is there once`)
    t.equal(
      readFileSync(path.join(app.root, 'a.ipynb'), encoding),
      file.replace(was, () => now),
      name
    )
  }
}

t.test('text is quoted as reads show it', t =>
  checkRows(t, 'edit_file', {
    'several lines, with quotation marks': {
      file: TEXT,
      params: { old: 'x = 1\nprint("x", x)', new: 'y = 2\nprint("y", y)\nz = """\\n"""' },
      was: '"x = 1\\n",\n    "print(\\"x\\", x)\\n",',
      now: '"y = 2\\n",\n    "print(\\"y\\", y)\\n",\n    "z = \\"\\"\\"\\\\n\\"\\"\\"\\n",'
    },
    'other indentation': {
      file: TEXT,
      params: { old: 'def f():\n  return "é"', new: 'def g():\n  return "ü"' },
      was: '"def f():\\n",\n    "    return \\"é\\""',
      now: '"def g():\\n",\n    "    return \\"ü\\""'
    },
    'a line with a slip': {
      file: TEXT,
      params: { old: 'prlnt("x", x)', new: 'print(x)' },
      was: '"print(\\"x\\", x)\\n"',
      now: '"print(x)\\n"'
    },
    'the last line with a line end': {
      file: TEXT,
      params: { old: 'words\n', new: 'other words\n' },
      was: '"words"',
      now: '"other words"'
    },
    'every place in every cell': {
      file: print(notebook([code(['a\n', 'b a']), code('a')]), 0),
      params: { old: 'a', new: 'c"', replace_all: true },
      was: '["a\\n","b a"]},{"cell_type":"code","metadata":{},"outputs":[],"source":"a"',
      now: '["c\\"\\n","b c\\""]},{"cell_type":"code","metadata":{},"outputs":[],"source":"c\\""'
    },
    'the JSON of the file': {
      file: TEXT,
      params: { old: '    "x = 1\\n",\n    "print', new: '    "y = 1\\n",\n    "print' },
      was: '    "x = 1\\n",\n    "print',
      now: '    "y = 1\\n",\n    "print'
    },
    metadata: {
      file: TEXT,
      params: { old: '"scrolled": true', new: '"scrolled": false' },
      was: '"scrolled": true',
      now: '"scrolled": false'
    },
    'a source that is a string, whose escapes stay': {
      file: '{"cells":[{"cell_type":"raw","source":"caf\\u00e9 \\/ one\\ttwo"}],"nbformat":4,"nbformat_minor":4}',
      params: { old: 'one\t', new: 'ö\n"eins"\t' },
      was: 'one\\t',
      now: '\\u00f6\\n\\"eins\\"\\t'
    },
    'a list on one line': {
      file: '{"nbformat": 4, "cells": [{"source": ["a\\n", "b"], "cell_type": "code"}]}',
      params: { old: 'b', new: 'b\nc' },
      was: '"b"',
      now: '"b\\n", "c"'
    },
    'one item on one line': {
      file: '{"nbformat": 4, "cells": [{"source": ["b"], "cell_type": "code"}]}',
      params: { old: 'b', new: 'b\nc' },
      was: '"b"',
      now: '"b\\n", "c"'
    },
    'an empty result': {
      file: print(notebook([code(['one'])])),
      params: { old: 'one', new: '' },
      was: '[\n    "one"\n   ]',
      now: '[]'
    },
    'CRLF in the file': {
      file: TEXT.replaceAll('\n', '\r\n'),
      params: { old: 'words', new: 'words\nmore' },
      was: '"words"',
      now: '"words\\n",\r\n    "more"'
    },
    'CRLF in the source': {
      file: print(notebook([code(['a\r\n', 'b\r\n'])])),
      params: { old: 'a\nb', new: 'c\nd' },
      was: '"a\\r\\n",\n    "b\\r\\n"',
      now: '"c\\r\\n",\n    "d\\r\\n"'
    },
    'a byte order mark': {
      file: `\ufeff${TEXT}`,
      params: { old: 'words', new: 'Wörter' },
      was: '"words"',
      now: '"Wörter"'
    },
    'UTF-16': {
      file: `\ufeff${TEXT}`,
      encoding: 'utf16le',
      params: { old: 'words', new: 'Wörter' },
      was: '"words"',
      now: '"Wörter"'
    },
    'tabs, and no final line end': {
      file: print(NOTEBOOK, '\t').trimEnd(),
      params: { old: 'words', new: 'a\nb' },
      was: '"words"',
      now: '"a\\n",\n\t\t\t\t"b"'
    },
    'half a pair of surrogates beside it': {
      file: '{"cells":[{"cell_type":"raw","source":["\\ud83d a\\n","😀 b"]}],"nbformat":4}',
      params: { old: '😀 b', new: '😁 b' },
      was: '"😀 b"',
      now: '"😁 b"'
    },
    'a pair of surrogates of which half changes': {
      file: '{"cells":[{"cell_type":"raw","source":"a😀b"}],"nbformat":4}',
      params: { old: '😀', new: '😁' },
      was: '😀',
      now: '😁'
    },
    'items that do not end where lines do': {
      file: print(notebook([code(['a = ', '1\nb = 2\n', 'c = 3'])])),
      params: { old: 'b = 2', new: 'b = 4' },
      was: '"a = ",\n    "1\\nb = 2\\n",\n    "c = 3"',
      now: '"a = 1\\n",\n    "b = 4\\n",\n    "c = 3"'
    },
    'members with one name, of which the last one counts': {
      file: '{"cells":[],"cells":[{"cell_type":"raw","source":"one","source":"two"}],"nbformat":4}',
      params: { old: 'two', new: '2' },
      was: '"two"',
      now: '"2"'
    },
    'a cell without a source beside it': {
      file: '{"cells":[{"cell_type":"raw"},{"cell_type":"raw","source":null},{"cell_type":"raw","source":"one"}],"nbformat":4}',
      params: { old: 'one', new: 'a\nb' },
      was: '"one"',
      now: '"a\\nb"'
    },
    'what is no notebook, as text': { file: '{"cells": [\n', params: { old: '[', new: '[]}' }, was: '[', now: '[]}' },
    'another format, as text': {
      file: '{"nbformat": 3, "worksheets": []}',
      params: { old: '[]', new: '[{}]' },
      was: '[]',
      now: '[{}]'
    }
  })
)

t.test('reads show the ids of cells', async t => {
  const app = await startApp(t, { 'a.ipynb': TEXT })
  const { result } = await app.call('read_file', { path: 'a.ipynb', offset: 2 })
  t.match(result.data.cells, [{ index: 2, id: 'sum', type: 'code' }])
  t.match(result.content, /^--- Cell 2 of 2: code, id sum, run as 3 ---\nx = 1\n/)
})

t.test('edits in turn see the cells that the ones before left', async t => {
  const app = await startApp(t, { 'a.ipynb': TEXT })
  const edits = [
    { old: 'words', new: 'one\ntwo' },
    { old: 'two', new: '"2"' },
    { old: '"scrolled": true', new: '"scrolled": false' }
  ]
  const call = await app.call('multi_edit', { path: 'a.ipynb', edits })
  t.match(
    call.approval.preview.diff,
    /^--- a\/a.ipynb\n[\s\S]*- {4}"words"\n\+ {4}"one\\n",\n\+ {4}"\\"2\\""\n[\s\S]*scrolled/
  )
  t.match(await app.post('/approve?wait_ms=120000', toApproval(call)), { status: 'success' })
  t.equal(
    app.read('a.ipynb'),
    TEXT.replace('"words"', '"one\\n",\n    "\\"2\\""').replace('"scrolled": true', '"scrolled": false')
  )
})

t.test('the diff has a part for each cell, whose lines it counts', async t => {
  const app = await startApp(t, { 'a.ipynb': TEXT })
  const edits = [
    { old: 'words', new: 'one\ntwo' },
    { old: 'x = 1\n', new: '' }
  ]
  const call = await app.call('multi_edit', { path: 'a.ipynb', edits })
  const diff = [
    '--- a/a.ipynb, cell 1 (markdown)\t',
    '+++ b/a.ipynb, cell 1 (markdown)\t',
    '@@ -1,2 +1,3 @@',
    ' # Title',
    '-words',
    '+one',
    '+two',
    '--- a/a.ipynb, cell 2 (code)\t',
    '+++ b/a.ipynb, cell 2 (code)\t',
    '@@ -1,4 +1,3 @@',
    '-x = 1',
    ' print("x", x)',
    ' ',
    ' def f():',
    ''
  ].join('\n')
  t.strictSame(call.approval.preview, { title: 'Edit a.ipynb: 2 edits', diff })
  const ended = await app.post('/approve?wait_ms=120000', toApproval(call))
  t.match(ended.result.data, { diff })
  t.match(ended.changes, [{ path: 'a.ipynb', operation: 'modified', added: 2, removed: 2 }])
  const undone = await app.call('undo', { tool_call_id: call.tool_call_id })
  t.match(undone.status === 'success' ? undone : await app.post('/approve?wait_ms=120000', toApproval(undone)), {
    status: 'success'
  })
  t.equal(app.read('a.ipynb'), TEXT)
})

/** Edits that fail, and why. */
const FAILED_EDITS: [params: object, error: string][] = [
  [
    { old: 'x', new: 'y' },
    'AMBIGUOUS_MATCH: The old text occurs 3 times in a.ipynb: cell 2, line 1 (100 %), cell 2, line 2 (100 %), cell 2, line 2 (100 %). Include more context in the old text, or use replace_all.'
  ],
  [
    { old: 'print("z", 12345, z)', new: 'y' },
    'OLD_TEXT_NOT_FOUND: The old text does not occur in a.ipynb. Nearest: cell 2, line 2 (55 %).'
  ],
  [{ old: '"execution_count": 3,', new: '' }, 'success'],
  [
    { old: '"execution_count": 3,', new: '"execution_count": ' },
    'INVALID_PARAMS: /params/new: would make the notebook invalid: the old text is in the JSON of a.ipynb, not in a cell. As the old text, use text of a cell as shown by read_file, or use edit_notebook_cell.'
  ],
  [
    { old: '"text": [', new: '"text": [\n"a\nb",' },
    'INVALID_PARAMS: /params/new: would make the notebook invalid: the old text is in the JSON of a.ipynb, not in a cell. As the old text, use text of a cell as shown by read_file, or use edit_notebook_cell.'
  ]
]

t.test('edits that do not apply say where in which cell', async t => {
  const app = await startApp(t)
  for (const [params, error] of FAILED_EDITS) {
    app.write('a.ipynb', TEXT)
    t.equal(outcomeOf(await done(app, 'edit_file', params)), error)
    if (error !== 'success') t.equal(app.read('a.ipynb'), TEXT)
  }
  const equal = print(notebook([code('one\ntwo'), code('one\nthree')]))
  app.write('a.ipynb', equal)
  t.match(await done(app, 'edit_file', { old: 'one', new: '1' }), {
    error: { code: 'AMBIGUOUS_MATCH', details: { places: 2, candidates: [{ cell: 1, start_line: 1 }, { cell: 2 }] } }
  })
  app.write('a.ipynb', print(notebook([code('the quick brown fox'), code('the quick brown fix')])))
  t.match(await done(app, 'edit_file', { old: 'the quikc brown f', new: '1' }), { error: { code: 'AMBIGUOUS_MATCH' } })
})

const CELL_3 =
  '  {\n   "cell_type": "markdown",\n   "id": "ID",\n   "metadata": {},\n   "source": [\n    "a\\n",\n    "b"\n   ]\n  }'
const SUM = TEXT.slice(TEXT.indexOf('  {\n   "cell_type": "code"'), TEXT.indexOf('\n ],\n "metadata": {\n'))
const INTRO = TEXT.slice(TEXT.indexOf('  {\n   "cell_type": "markdown"'), TEXT.indexOf(`,\n${SUM}`))

t.test('a cell is replaced, inserted and deleted', t =>
  checkRows(t, 'edit_notebook_cell', {
    'code, by its id; its outputs are cleared': {
      file: TEXT,
      params: { cell: 'sum', source: 'x = 2\nprint("x", x)' },
      was: SUM,
      now: SUM.replace('3', 'null')
        .replace(/"outputs": \[[\s\S]*?\n {3}\]/, '"outputs": []')
        .replace(/"source": [\s\S]*\]/, '"source": [\n    "x = 2\\n",\n    "print(\\"x\\", x)"\n   ]')
    },
    'its outputs are kept': {
      file: TEXT,
      params: { cell: 2, source: 'x', outputs: 'keep' },
      was: SUM,
      now: SUM.replace(/"source": [\s\S]*\]/, '"source": [\n    "x"\n   ]')
    },
    'by its number from the end, given as text': {
      file: TEXT,
      params: { cell: '-2', source: '# Title\nother' },
      was: '"words"',
      now: '"other"'
    },
    'only its outputs': {
      file: print(notebook([code('x', { execution_count: 1, outputs: [{ output_type: 'error' }] })]), 0),
      params: { cell: 1, source: 'x' },
      was: '"outputs":[{"output_type":"error"}],"execution_count":1',
      now: '"outputs":[],"execution_count":null'
    },
    'code becomes markdown': {
      file: TEXT,
      params: { cell: 'sum', source: 'x', cell_type: 'markdown' },
      was: SUM,
      now:
        '  {\n   "cell_type": "markdown",\n   "id": "sum",\n   "metadata": {\n    "scrolled": true\n   },\n' +
        '   "source": [\n    "x"\n   ]\n  }'
    },
    'markdown becomes code, without its attachments': {
      file: '{"nbformat": 4, "cells": [{"attachments": {"a.png": {}}, "cell_type": "markdown", "source": ["a"]}]}',
      params: { cell: 1, source: 'b', cell_type: 'code' },
      was: '{"attachments": {"a.png": {}}, "cell_type": "markdown", "source": ["a"]}',
      now: '{"cell_type": "code", "source": ["b"], "execution_count": null, "outputs": []}'
    },
    'a source is added where there is none': {
      file: '{"nbformat":4,"cells":[{"cell_type":"raw"}]}',
      params: { cell: 1, source: 'a\nb' },
      was: '{"cell_type":"raw"}',
      now: '{"cell_type":"raw","source":["a\\n","b"]}'
    },
    'a string stays a string': {
      file: '{"nbformat":4,"cells":[{"cell_type":"raw","source":"caf\\u00e9"}]}',
      params: { cell: 1, source: 'café\n😀' },
      was: 'caf\\u00e9',
      now: 'caf\\u00e9\\n\\ud83d\\ude00'
    },
    'a new one at the beginning': {
      file: TEXT,
      params: { mode: 'insert', source: 'a\nb', cell_type: 'markdown' },
      was: INTRO,
      now: `${CELL_3.replace('ID', '8cee936b')},\n${INTRO}`
    },
    'after another': {
      file: TEXT,
      params: { mode: 'insert', cell: 'intro', source: 'a\nb', cell_type: 'markdown' },
      was: INTRO,
      now: `${INTRO},\n${CELL_3.replace('ID', 'ba00104b')}`
    },
    'at the end': {
      file: TEXT,
      params: { mode: 'insert', cell: -1, source: 'a\nb', cell_type: 'markdown' },
      was: SUM,
      now: `${SUM},\n${CELL_3.replace('ID', '014879fe')}`
    },
    'without an id before format 4.5': {
      file: print(notebook([]), 2),
      params: { mode: 'insert', source: '', cell_type: 'code' },
      was: '[]',
      now:
        '[\n    {\n      "cell_type": "code",\n      "execution_count": null,\n      "metadata": {},\n      "outputs": [],\n' +
        '      "source": []\n    }\n  ]'
    },
    'on one line, into no cells': {
      file: '{"nbformat": 4, "cells": []}',
      params: { mode: 'insert', source: 'a', cell_type: 'raw' },
      was: '[]',
      now: '[{"cell_type": "raw", "metadata": {}, "source": ["a"]}]'
    },
    'with the line ends of the file': {
      file: print(notebook([code('a')])).replaceAll('\n', '\r\n'),
      params: { mode: 'insert', cell: 1, source: 'a', cell_type: 'raw' },
      was: '"source": "a"\r\n  }',
      now: '"source": "a"\r\n  },\r\n  {\r\n   "cell_type": "raw",\r\n   "metadata": {},\r\n   "source": [\r\n    "a"\r\n   ]\r\n  }'
    },
    'the first one': { file: TEXT, params: { mode: 'delete', cell: 1 }, was: `${INTRO.trimStart()},\n  `, now: '' },
    'the last one': { file: TEXT, params: { mode: 'delete', cell: 'sum', source: '' }, was: `,\n${SUM}`, now: '' },
    'the only one': {
      file: print(notebook([code('a')]), 0),
      params: { mode: 'delete', cell: 1 },
      was: JSON.stringify(code('a')),
      now: ''
    },
    'an id that is a number goes before numbers': {
      file: '{"nbformat":4,"cells":[{"cell_type":"raw","id":"2","source":"a"},{"cell_type":"raw","source":"b"}]}',
      params: { cell: '2', source: 'c' },
      was: '"a"',
      now: '"c"'
    }
  })
)

/** Changes, and their previews. */
const PREVIEWS: Record<string, [params: object, preview: object]> = {
  'outputs are cleared': [
    { cell: 'sum', source: 'x' },
    {
      title: 'Replace cell 2 of 2 (code) in a.ipynb',
      diff:
        '--- a/a.ipynb, cell 2 (code)\t\n+++ b/a.ipynb, cell 2 (code)\t\n@@ -1,5 +1 @@\n' +
        '-x = 1\n-print("x", x)\n-\n-def f():\n-    return "é"\n+x\n',
      notes: ['The outputs of the cell (stream) are cleared.']
    }
  ],
  'outputs are kept': [
    { cell: 'sum', source: NOTEBOOK.cells[1]!.source.join('').replace('x = 1', 'x = 2'), outputs: 'keep' },
    {
      title: 'Replace cell 2 of 2 (code) in a.ipynb',
      diff:
        '--- a/a.ipynb, cell 2 (code)\t\n+++ b/a.ipynb, cell 2 (code)\t\n@@ -1,4 +1,4 @@\n' +
        '-x = 1\n+x = 2\n print("x", x)\n \n def f():\n',
      notes: ['The outputs of the cell (stream) are kept.']
    }
  ],
  'another type, with the same source': [
    { cell: 1, source: '# Title\nwords', cell_type: 'code' },
    { title: 'Replace cell 1 of 2 (markdown, becomes code) in a.ipynb' }
  ],
  'a new cell': [
    { mode: 'insert', cell: 'intro', source: 'a\n', cell_type: 'raw' },
    {
      title: 'Insert a raw cell into a.ipynb, as cell 2 of 3',
      diff: '--- a/a.ipynb, cell 2 (raw)\t\n+++ b/a.ipynb, cell 2 (raw)\t\n@@ -0,0 +1,2 @@\n+a\n+\n'
    }
  ],
  'an empty cell': [
    { mode: 'insert', source: '', cell_type: 'code' },
    { title: 'Insert a code cell into a.ipynb, as cell 1 of 3' }
  ],
  'a deleted cell': [
    { mode: 'delete', cell: -1 },
    {
      title: 'Delete cell 2 of 2 (code) from a.ipynb',
      diff:
        '--- a/a.ipynb, cell 2 (code)\t\n+++ b/a.ipynb, cell 2 (code)\t\n@@ -1,5 +0,0 @@\n' +
        '-x = 1\n-print("x", x)\n-\n-def f():\n-    return "é"\n',
      notes: ['The outputs of the cell (stream) are deleted with the cell.']
    }
  ]
}

t.test('what is shown is what is written', async t => {
  const app = await startApp(t)
  for (const [name, [params, preview]] of Object.entries(PREVIEWS)) {
    app.write('a.ipynb', TEXT)
    const call = await app.call('edit_notebook_cell', { path: 'a.ipynb', ...params })
    t.match(call, { status: 'awaiting_approval', approval: { level: 'ask', reason: 'Modifies files.' } }, name)
    t.strictSame(call.approval.preview, preview, name)
    const ended = await app.post('/approve?wait_ms=120000', toApproval(call))
    t.match(ended, { status: 'success', changes: [{ path: 'a.ipynb', operation: 'modified' }] }, name)
    t.ok(JSON.parse(app.read('a.ipynb')), name)
    const undo = await app.call('undo', { tool_call_id: call.tool_call_id })
    if (undo.status === 'awaiting_approval') await app.post('/approve?wait_ms=120000', toApproval(undo))
    t.equal(app.read('a.ipynb'), TEXT, name)
  }
})

t.test('a decision is bound to the bytes of the file', async t => {
  const app = await startApp(t, { 'a.ipynb': TEXT })
  const call = await app.call('edit_notebook_cell', { path: 'a.ipynb', cell: 1, source: 'x' })
  const other = TEXT.replace('scrolled', 'collapsed')
  app.write('a.ipynb', other)
  t.match(await app.post('/approve?wait_ms=120000', toApproval(call)), { status: 409, code: 'PREVIEW_CHANGED' })
  t.equal(app.read('a.ipynb'), other)
})

const SAME_IDS = print(notebook([code('a', { id: 'x' }), code('b', { id: 'x' }), code('c')]))

/** Changes of cells that fail, on a file, and why. */
const FAILED_CHANGES: [file: string | Buffer, params: object, error: string][] = [
  [
    TEXT,
    { cell: 'none', source: '' },
    'INVALID_PARAMS: /params/cell: "none" is not a cell of a.ipynb. The notebook has cells 1 to 2. Ids: intro, sum.'
  ],
  [
    TEXT,
    { cell: 3, source: '' },
    'INVALID_PARAMS: /params/cell: 3 is not a cell of a.ipynb. The notebook has cells 1 to 2. Ids: intro, sum.'
  ],
  [
    TEXT,
    { cell: 0, source: '' },
    'INVALID_PARAMS: /params/cell: 0 is not a cell of a.ipynb. The notebook has cells 1 to 2. Ids: intro, sum.'
  ],
  [
    TEXT,
    { cell: -3, mode: 'delete' },
    'INVALID_PARAMS: /params/cell: -3 is not a cell of a.ipynb. The notebook has cells 1 to 2. Ids: intro, sum.'
  ],
  [
    print(notebook([])),
    { cell: 1, mode: 'delete' },
    'INVALID_PARAMS: /params/cell: 1 is not a cell of a.ipynb. The notebook has no cells.'
  ],
  [
    SAME_IDS,
    { cell: 'x', source: '' },
    'INVALID_PARAMS: /params/cell: "x" is the id of several cells: use a cell number, 1, 2.'
  ],
  [TEXT, { source: 'x' }, 'INVALID_PARAMS: /params/cell: is required to replace a cell.'],
  [TEXT, { mode: 'delete' }, 'INVALID_PARAMS: /params/cell: is required to delete a cell.'],
  [TEXT, { cell: 1 }, 'INVALID_PARAMS: /params/source: is required to replace a cell.'],
  [TEXT, { mode: 'insert', source: 'x' }, 'INVALID_PARAMS: /params/cell_type: is required to insert a cell.'],
  [TEXT, { mode: 'insert', cell_type: 'raw' }, 'INVALID_PARAMS: /params/source: is required to insert a cell.'],
  [TEXT, { mode: 'delete', cell: 1, source: 'x' }, 'INVALID_PARAMS: /params/source: must be omitted with mode delete.'],
  [
    TEXT,
    { mode: 'delete', cell: 1, outputs: 'keep' },
    'INVALID_PARAMS: /params/outputs: can be `keep` only with mode replace, not delete.'
  ],
  [
    TEXT,
    { cell: 2, source: 'x', cell_type: 'raw', outputs: 'keep' },
    'INVALID_PARAMS: /params/outputs: cannot be `keep`: a raw cell has no outputs.'
  ],
  [
    TEXT,
    { cell: 1, source: '# Title\nwords' },
    'INVALID_PARAMS: /params/source: is the current source of the cell, and the call would not change anything else.'
  ],
  [
    '{"cells": [',
    { cell: 1, source: '' },
    'INVALID_PARAMS: /params/path: a.ipynb is not valid JSON, so it is not a notebook. Fix it with edit_file first.'
  ],
  [
    '{"nbformat": 4, "cells": [{}]}',
    { cell: 1, source: '' },
    'INVALID_PARAMS: /params/path: a.ipynb is a JSON file, but not a notebook of format 4: it has no cells, or has cells without a type.'
  ],
  [
    '[]',
    { cell: 1, source: '' },
    'INVALID_PARAMS: /params/path: a.ipynb is a JSON file, but not a notebook of format 4: it has no cells, or has cells without a type.'
  ],
  [
    '{"nbformat": 3, "worksheets": [{"cells": []}]}',
    { cell: 1, source: '' },
    'INVALID_PARAMS: /params/path: a.ipynb is a notebook of format 3; only format 4 can be edited. Convert the notebook, for example with `jupyter nbconvert --to notebook --nbformat 4`.'
  ],
  [Buffer.from([0, 1, 2, 3]), { cell: 1, source: '' }, 'BINARY_FILE: a.ipynb is not a text file.'],
  [
    ' '.repeat(8 * 1024 * 1024 + 1),
    { cell: 1, source: '' },
    'TOO_LARGE: a.ipynb has 8388609 bytes; files over 8388608 cannot be edited.'
  ],
  [
    TEXT,
    { cell: 1, source: '', if_match: '0'.repeat(64) },
    'STALE_FILE: a.ipynb has changed since it was read. Read it again.'
  ]
]

t.test('changes that do not apply say why, before anybody is asked', async t => {
  const app = await startApp(t)
  for (const [file, params, error] of FAILED_CHANGES) {
    app.write('a.ipynb', file)
    const call = await app.call('edit_notebook_cell', { path: 'a.ipynb', ...params })
    t.equal(call.code === undefined ? outcomeOf(call) : `${call.code}: ${call.detail}`, error)
    t.equal(app.read('a.ipynb'), String(file))
  }
  t.match(await app.call('edit_notebook_cell', { path: 'none.ipynb', cell: 1, source: '' }), {
    error: { code: 'FILE_NOT_FOUND' }
  })
  app.write('b.ipynb', SAME_IDS)
  t.match(await done(app, 'edit_notebook_cell', { path: 'b.ipynb', cell: 2, source: 'd' }), { status: 'success' })
  t.match(await done(app, 'edit_notebook_cell', { path: 'b.ipynb', cell: 3, source: 'e' }), { status: 'success' })
  t.strictSame(
    JSON.parse(app.read('b.ipynb')).cells.map(({ source }: Json) => source),
    ['a', 'd', 'e']
  )
})

t.test('a notebook that may not be read is changed blindly', async t => {
  const app = await startApp(t, { 'credentials.ipynb': TEXT })
  const call = await app.call('edit_notebook_cell', { path: 'credentials.ipynb', cell: 'none', source: 'x = 2' })
  t.match(call, { status: 'awaiting_approval', approval: { level: 'strict' } })
  t.strictSame(call.approval.preview.diff, '--- a/credentials.ipynb\n+++ b/credentials.ipynb\n@@ -0,0 +1 @@\n+x = 2\n')
  t.notMatch(JSON.stringify(call), /intro/)
})

t.test('large notebooks are edited within bounds', async t => {
  const app = await startApp(t)
  const image = { output_type: 'display_data', data: { 'image/png': 'A'.repeat(3 * 1024 * 1024) }, metadata: {} }
  const large = print(notebook([code(['a = 1\n', 'b = 2'], { outputs: [image, image] }), code('c')]))
  app.write('a.ipynb', large)
  t.match(await done(app, 'edit_file', { old: 'b = 2', new: 'b = 3' }), { status: 'success' })
  t.equal(app.read('a.ipynb'), large.replace('b = 2', 'b = 3'))
  t.match(await done(app, 'edit_notebook_cell', { cell: 2, source: 'd', outputs: 'keep' }), { status: 'success' })
  t.equal(app.read('a.ipynb'), large.replace('b = 2', 'b = 3').replace('"c"', '"d"'))
  app.write(
    'a.ipynb',
    JSON.stringify(notebook(Array.from({ length: 100_000 }, (_, i) => ({ cell_type: 'raw', source: `cell ${i}` }))))
  )
  t.match(await done(app, 'edit_file', { old: 'nothing like it', new: 'x' }), { error: { code: 'OLD_TEXT_NOT_FOUND' } })
  t.match(await done(app, 'edit_notebook_cell', { cell: 99_999, source: 'x' }), { status: 'success' })
  app.write('a.ipynb', `{"nbformat":4,"cells":[${'['.repeat(5_000)}${']'.repeat(5_000)}]}`)
  t.match(await done(app, 'edit_notebook_cell', { cell: 1, source: 'x' }), { error: { code: 'INVALID_PARAMS' } })
})
