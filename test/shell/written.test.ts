// Tests of files that a line would write through a flag. Nothing here is ever run.
// tier: quick
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'

await loadParsers()

const HOOK = '.git/hooks/pre-commit'
const LINES = [
  `go build -o ${HOOK} ./x`,
  `go build -o=${HOOK} ./x`,
  `go test -coverprofile=${HOOK} ./...`,
  `go test -coverprofile ${HOOK} ./...`,
  `pytest --junit-xml=${HOOK}`,
  `pytest --junitxml ${HOOK}`,
  `cp -t ${HOOK} a`,
  `cp -rt ${HOOK} a`,
  `cp --target-directory ${HOOK} a`,
  `install -t ${HOOK} a`,
  `mv -t ${HOOK} a`,
  `ln -st ${HOOK} a`,
  `tar xf a.tar -C ${HOOK}`,
  `tar cf ${HOOK} a`,
  `tar -czf ${HOOK} a`,
  `unzip a.zip -d ${HOOK}`,
  `split a ${HOOK}`,
  `csplit --prefix=${HOOK} a 1`,
  `csplit -f ${HOOK} a 1`,
  `curl -o ${HOOK} https://example.com`,
  `curl -so ${HOOK} https://example.com`,
  `curl -o${HOOK} https://example.com`,
  `curl --output ${HOOK} https://example.com`,
  `curl --output=${HOOK} https://example.com`,
  `curl --output-dir ${HOOK} -O https://example.com`,
  `curl -D ${HOOK} https://example.com`,
  `wget -O ${HOOK} https://example.com`,
  `wget -qO ${HOOK} https://example.com`,
  `wget -P ${HOOK} https://example.com`,
  `wget --output-document=${HOOK} https://example.com`
]
const written = (line: string) =>
  analyzeCommandLine(line, { paths: [], pids: [] }).parts.flatMap(({ operands }) =>
    operands.filter(({ access }) => access === 'write').map(({ path }) => path)
  )

t.test('reports files that a flag writes', async t => {
  for (const line of LINES) t.ok(written(line).includes(HOOK), line)
})

t.test('does not report files that are only read', async t => {
  for (const line of [`go test -run ${HOOK}`, `tar tf ${HOOK}`, `curl -e ${HOOK} https://example.com`])
    t.strictSame(written(line), [], line)
})
