// A time as it travels.
import { Type } from 'typebox'

/** Schema of a point in time. */
export const Time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
