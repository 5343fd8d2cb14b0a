// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { diffDiagnostics } from '../../../src/engine/diagnostics/diagnostics-diff.ts'
import type { Diagnostic } from '../../../src/host/lsp/language-service.ts'

const error = (line: number, message = 'bad', more: Partial<Diagnostic> = {}): Diagnostic => ({
  path: 'a.ts',
  start: { line, column: 1 },
  end: { line, column: 2 },
  severity: 'error',
  message,
  ...more
})

t.test('moved diagnostics are not new', async t => {
  t.strictSame(diffDiagnostics([error(3), error(9)], [error(5), error(11)], 2), { fresh: [], gone: 0 })
  t.strictSame(diffDiagnostics([error(3)], [error(7)], 0), { fresh: [], gone: 0 }, 'wherever it went')
})

t.test('an additional one of the same kind is the one at a new position', async t => {
  const now = [error(3), error(5), error(11)]
  t.strictSame(diffDiagnostics([error(3), error(9)], now, 2), { fresh: [error(5)], gone: 0 })
})

t.test('another message, code or severity is a new one', async t => {
  const before = [error(1), error(2, 'unused', { severity: 'warning' }), error(3, 'typed', { code: '1' })]
  const now = [error(1, 'worse'), error(2, 'unused'), error(3, 'typed', { code: '2' })]
  t.strictSame(diffDiagnostics(before, now), { fresh: now, gone: 3 })
})

t.test('inserting or removing lines above never adds a diagnostic', async () => {
  const some = fc.array(fc.record({ line: fc.integer({ min: 1, max: 9 }), message: fc.constantFrom('a', 'b') }))
  fc.assert(
    fc.property(some, fc.integer({ min: 0, max: 20 }), fc.nat(), (all, shift, dropped) => {
      const before = all.map(({ line, message }) => error(line, message))
      const now = all.map(({ line, message }) => error(line + shift, message))
      now.splice(dropped % (now.length + 1), 1)
      const { fresh, gone } = diffDiagnostics(before, now, shift)
      return fresh.length === 0 && gone === before.length - now.length
    })
  )
})
