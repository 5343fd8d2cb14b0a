import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'
import { LSP_TOOL, lspRequest, planLspCall, withLspProgress } from './lib/lsp-tool.ts'
import { POSITION_PARAMS, resolvePosition } from './lib/position-param.ts'
import { Responder, responderNotes } from './lib/responder.ts'

export default defineTool({
  ...LSP_TOOL,
  name: 'hover',
  description: 'Returns type and documentation of a symbol, with a language server.',
  input: Type.Object(POSITION_PARAMS, { additionalProperties: false }),
  output: Type.Object({
    text: Type.Union([Type.String(), Type.Null()], {
      description: 'Markdown or plain text; null where the server knows nothing of the place.'
    }),
    line: Type.Optional(Type.Integer({ description: 'Where what it is about begins, counted from 1.' })),
    column: Type.Optional(Type.Integer({ description: 'Counted from 1, in characters.' })),
    end_line: Type.Optional(Type.Integer({ description: 'Line of its end.' })),
    end_column: Type.Optional(Type.Integer({ description: 'Column right after its last character.' })),
    truncated: Type.Boolean({ description: 'The text is cut: the server says more.' }),
    answered: Responder
  }),
  request: ({ path }, ctx) => lspRequest([{ path, access: 'read' }], ctx),
  plan: planLspCall,
  async *run(input, ctx) {
    const at = await resolvePosition(input, ctx)
    const { hover, answered } = yield* withLspProgress(ctx, languages => languages.hover(at))
    const span = hover?.span
    return {
      text: hover?.text ?? null,
      ...(span && {
        line: span.start.line,
        column: span.start.column,
        end_line: span.end.line,
        end_column: span.end.column
      }),
      truncated: hover?.truncated ?? false,
      answered
    }
  },
  present({ text, truncated, answered }, { path, line, col, symbol }) {
    return {
      title: symbol ?? `${path}:${line}:${col}`,
      content: [
        text ?? 'Nothing is known of it.',
        ...(truncated ? ['(Cut: it is longer.)'] : []),
        ...responderNotes([answered])
      ].join('\n'),
      ...(truncated && { truncated })
    }
  }
})
