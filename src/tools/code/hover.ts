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
      description: 'Type and documentation as Markdown or plain text; null if the language server has none.'
    }),
    line: Type.Optional(Type.Integer({ description: 'Line on which the symbol starts, from 1.' })),
    column: Type.Optional(Type.Integer({ description: 'Column at which the symbol starts, in characters, from 1.' })),
    end_line: Type.Optional(Type.Integer({ description: 'Line on which the symbol ends.' })),
    end_column: Type.Optional(Type.Integer({ description: 'Column after the last character of the symbol.' })),
    truncated: Type.Boolean({ description: 'True if the text is truncated.' }),
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
        text ?? 'The language server has no information about this symbol.',
        ...(truncated ? ['(Truncated.)'] : []),
        ...responderNotes([answered])
      ].join('\n'),
      ...(truncated && { truncated })
    }
  }
})
