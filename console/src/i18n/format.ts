/** The places that amounts of the service have. */
export const AMOUNT_PLACES = 4;

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** The units of time that is left, in minutes. Months differ in length, so there are none. */
const LEFT = [
  ["year", 525_600],
  ["day", 1440],
  ["hour", 60],
] as const;

/** Formats of numbers, money and times in one language. */
export class Format {
  // Making a format takes much longer than using it.
  private readonly numbers = new Map<string, Intl.NumberFormat>();
  private readonly dates = new Map<string, Intl.DateTimeFormat>();

  constructor(private readonly locale: string) {}

  /** The language without its variant: `en` of `en-GB`. */
  get language(): string {
    return this.locale.split("-")[0] ?? this.locale;
  }

  /** Which form of a noun goes with a number. */
  plural(count: number): Intl.LDMLPluralRule {
    return new Intl.PluralRules(this.locale).select(count);
  }

  /** A decimal text is formatted to its last digit. */
  number(value: number | `${number}`, options?: Intl.NumberFormatOptions): string {
    const make = () => new Intl.NumberFormat(this.locale, options);
    return cached(this.numbers, options, make).format(value).replace("-", "\u2212");
  }

  /**
   * An amount with every place that it has, and with the currency's code where the browser knows no
   * symbol.
   */
  money(amount: number | `${number}`, currency: string): string {
    const places = { maximumFractionDigits: AMOUNT_PLACES };
    try {
      return this.number(amount, { style: "currency", currency, ...places });
    } catch {
      // Codes of currencies that a community made up need not have three letters.
      return `${this.number(amount, { minimumFractionDigits: 2, ...places })} ${currency}`;
    }
  }

  /** An amount in few characters, for the axis of a chart: `€1.2K`. */
  shortMoney(amount: number, currency: string): string {
    const short: Intl.NumberFormatOptions = { notation: "compact", maximumFractionDigits: 1 };
    try {
      return this.number(amount, { style: "currency", currency, ...short });
    } catch {
      return `${this.number(amount, short)} ${currency}`;
    }
  }

  /** `2026-11-16T10:00:00Z` as a day and a time in the reader's time zone. */
  moment(at: string): string {
    return this.date(new Date(at), { dateStyle: "medium", timeStyle: "short" });
  }

  /** The same, to the second and with the time zone. */
  exactMoment(at: string): string {
    return this.date(new Date(at), { dateStyle: "full", timeStyle: "long" });
  }

  /** `2026-11-16`, a day of no time zone. */
  day(day: string, options: Intl.DateTimeFormatOptions = { dateStyle: "medium" }): string {
    return this.date(new Date(`${day}T00:00:00Z`), { ...options, timeZone: "UTC" });
  }

  /** A period of days of no time zone, as short as it can be said: `19 Oct – 17 Nov 2026`. */
  days(from: string, to: string): string {
    const [start, end] = [from, to].map((day) => new Date(`${day}T00:00:00Z`));
    const format = new Intl.DateTimeFormat(this.locale, { dateStyle: "medium", timeZone: "UTC" });
    return format.formatRange(start ?? 0, end ?? 0);
  }

  /** A moment by parts of it, such as the hour alone. */
  date(at: Date, options: Intl.DateTimeFormatOptions): string {
    const make = () => new Intl.DateTimeFormat(this.locale, options);
    return cached(this.dates, options, make).format(at);
  }

  /** How long ago, or in how long: `5 minutes ago`. */
  relative(at: string, now: number = Date.now()): string {
    const seconds = Math.round((new Date(at).getTime() - now) / 1000);
    const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
    const format = new Intl.RelativeTimeFormat(this.locale, { numeric: "auto" });
    return format.format(Math.round(seconds / size), unit);
  }

  /** How much time is left, in one unit: `12 days`. At least a minute. */
  left(seconds: number): string {
    const minutes = Math.max(1, Math.round(seconds / 60));
    const [unit, size] = LEFT.find(([, size]) => minutes >= size) ?? ["minute", 1];
    const options = { style: "unit", unit, unitDisplay: "long" } as const;
    return this.number(Math.round(minutes / size), options);
  }

  /** `1536000` bytes as `1.5 MB`. */
  bytes(value: number): string {
    const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
    const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
    const unit = units[power] ?? "byte";
    const options = { style: "unit", unit, maximumFractionDigits: 1 } as const;
    return this.number(value / 1000 ** power, options);
  }

  /** `2 codes and 1 password`. */
  list(items: string[]): string {
    return new Intl.ListFormat(this.locale, { type: "conjunction" }).format(items);
  }

  /** A span of time as `1 h 5 min`. */
  span(seconds: number): string {
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor((seconds % 3600) / 60);
    const part = (value: number, unit: "hour" | "minute" | "second") =>
      this.number(value, { style: "unit", unit, unitDisplay: "short" });
    if (hours > 0) {
      return `${part(hours, "hour")} ${part(minutes, "minute")}`;
    }
    return minutes > 0 ? part(minutes, "minute") : part(Math.floor(seconds), "second");
  }
}

function cached<F>(formats: Map<string, F>, options: object | undefined, make: () => F): F {
  const key = JSON.stringify(options ?? {});
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format;
}

/** The reader's own variant of a language, such as `en-GB`, for dates and numbers. */
function variantOf(language: string): string {
  return navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
}

const FORMATS = new Map<string, Format>();

/** The formats of a language, as the reader's browser is set up. */
export function formatOf(language: string): Format {
  const format = FORMATS.get(language) ?? new Format(variantOf(language));
  FORMATS.set(language, format);
  return format;
}

/** The reader's time zone, such as `Europe/Moscow`. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
