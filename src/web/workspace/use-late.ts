// True after a delay, so that short waits show no message.
import { useEffect, useState } from "react";

const LATE_MS = 150;

export function useLate(waiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [waiting]);
  return waiting && isLate;
}
