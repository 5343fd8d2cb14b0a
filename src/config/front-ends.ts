// Settings of front ends: editors and other clients that follow events and perform effects for calls.
import { Type } from 'typebox'

export const FrontEndsSchema = Type.Object(
  {
    grace_ms: Type.Integer({
      minimum: 0,
      default: 15_000,
      description: 'How long a front end whose stream ended may take to come back before what it was asked fails.'
    }),
    max_views: Type.Integer({
      minimum: 0,
      default: 16,
      description: 'Views of waiting calls that are open at one front end; 0 for none.'
    })
  },
  { additionalProperties: false, default: {} }
)
